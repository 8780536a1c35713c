import type { TokenRow } from "../rule.js";

const UUID = "[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}";

/** Payments, shops, parcels, travel and maps. */
export const commerceTokens: readonly TokenRow[] = [
  ["Stripe key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_", "[A-Za-z0-9]{16,250}"],
  ["Stripe key", "sk_ rk_", "(?=[A-Za-z]{0,40}\\d)[A-Za-z0-9]{16,250}"],
  ["Shopify token", "shpat_ shpca_ shppa_ shpss_ shpua_ shptka_", "[a-fA-F0-9]{32}"],
  ["Square token", "sq0atp- sq0csp- sq0idp-", "[\\w-]{22,60}"],
  ["Square token", "EAAA", "[\\w-]{60}"],
  ["Braintree token", "access_token$production$ access_token$sandbox$", "[a-z0-9]{16}\\$[a-f0-9]{32}"],
  ["Plaid token", "access-sandbox- access-development- access-production-", UUID],
  ["YooKassa or GoCardless key", "live_ test_", "(?=[\\w-]{0,59}[A-Z])[\\w-]{39,60}", "random"],
  ["Lob key", "live_ test_", "(?:pub_)?[a-f0-9]{31,35}"],
  ["Mollie key", "live_ test_", "[A-Za-z0-9]{30}", "random"],
  ["Razorpay key", "rzp_live_ rzp_test_", "[A-Za-z0-9]{14}"],
  ["EasyPost key", "EZAK EZTK", "[A-Za-z0-9]{54}"],
  ["Shippo token", "shippo_live_ shippo_test_", "[a-fA-F0-9]{40}"],
  ["Flutterwave key", "FLWSECK FLWPUBK", "(?:_TEST)?-?[a-zA-Z0-9]{12,40}(?:-X)?"],
  ["Duffel token", "duffel_test_ duffel_live_", "[\\w=-]{43}"],
  ["Mapbox token", "pk. sk. tk.", "eyJ[\\w-]{40,120}\\.[\\w-]{20,24}"],
  ["Foursquare key", "fsq3", "[A-Za-z0-9+/=]{44}"],
];
