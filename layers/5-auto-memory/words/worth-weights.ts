/** Written by `npm run learn:words`; each feature is centred and scaled before it is weighed. */
export const learned: {
  bias: number;
  least: number;
  features: Readonly<Record<string, { mean: number; spread: number; weight: number }>>;
} = {
  bias: -1.778,
  least: 0.18,
  features: {
    length: {
      mean: 4.575,
      spread: 1.558,
      weight: 0.176,
    },
    statements: {
      mean: 0.991,
      spread: 0.854,
      weight: 0.231,
    },
    questions: {
      mean: 0.194,
      spread: 0.327,
      weight: -0.211,
    },
    items: {
      mean: 0.029,
      spread: 0.144,
      weight: -0.015,
    },
    own: {
      mean: 0.877,
      spread: 0.282,
      weight: 0.119,
    },
    short: {
      mean: 0.345,
      spread: 0.475,
      weight: -0.136,
    },
    long: {
      mean: 0.023,
      spread: 0.151,
      weight: -0.09,
    },
    number: {
      mean: 0.24,
      spread: 0.427,
      weight: 0.119,
    },
    path: {
      mean: 0.287,
      spread: 0.452,
      weight: 0.183,
    },
    colon: {
      mean: 0.163,
      spread: 0.369,
      weight: 0.056,
    },
  },
};
