import type { TokenRow } from "../rule.js";

/** Payments, shops, parcels, travel and maps. */
export const commerceTokens: readonly TokenRow[] = [
  ["Stripe key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_", "<a16,250>"],
  ["Stripe key", "sk_ rk_", "(?=[A-Za-z]{0,40}\\d)<a16,250>"],
  ["Shopify token", "shpat_ shpca_ shppa_ shpss_ shpua_ shptka_", "[a-fA-F0-9]{32}"],
  ["Square token", "sq0atp- sq0csp- sq0idp-", "<w22,60>"],
  ["Square token", "EAAA", "<w60>"],
  ["Braintree token", "access_token$production$ access_token$sandbox$", "<l16>\\$<h32>"],
  ["Plaid token", "access-sandbox- access-development- access-production-", "<uuid>"],
  ["YooKassa or GoCardless key", "live_ test_", "(?=<w0,59>[A-Z])<w39,60>", "random"],
  ["Lob key", "live_ test_", "(?:pub_)?<h31,35>"],
  ["Mollie key", "live_ test_", "<a30>", "random"],
  ["Razorpay key", "rzp_live_ rzp_test_", "<a14>"],
  ["EasyPost key", "EZAK EZTK", "<a54>"],
  ["Shippo token", "shippo_live_ shippo_test_", "[a-fA-F0-9]{40}"],
  ["Flutterwave key", "FLWSECK FLWPUBK", "(?:_TEST)?-?<a12,40>(?:-X)?"],
  ["Duffel token", "duffel_test_ duffel_live_", "[\\w=-]{43}"],
  ["Mapbox token", "pk. sk. tk.", "eyJ<w40,120>\\.<w20,24>"],
  ["Foursquare key", "fsq3", "[A-Za-z0-9+/=]{44}"],
];
