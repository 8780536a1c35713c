import type { TokenRow } from "../rule.js";

/** A bot's number in base64. */
const DISCORD = "MD MT Mj Mz ND NT Nj Nz OD OT"
  .split(" ")
  .flatMap((two) => [..."AEIMQUYcgk"].map((third) => two + third))
  .join(" ");

/** Mail, chat, telephone and social networks. */
export const messageTokens: readonly TokenRow[] = [
  ["Slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxc- xoxd-", "[\\w%-]{10,250}"],
  ["Slack token", "xoxe.xoxb- xoxe.xoxp-", "\\d-<a140,200>"],
  ["Slack token", "xapp-", "\\d-<u5,20>-<d5,20>-<l20,100>"],
  ["Twilio key", "SK", "<h32>"],
  ["Discord token", DISCORD, "<w20,26>\\.<w6,7>\\.<w27,40>"],
  ["SendGrid key", "SG.", "<w16,32>\\.<w32,64>"],
  ["Mailgun key", "key- pubkey-", "<h32>"],
  ["Mandrill key", "md-", "<w22>", "random"],
  ["Brevo key", "xkeysib- xsmtpsib-", "<h64>-<a16>"],
  ["Resend key", "re_", "<a8>_<a24>"],
  ["OneSignal key", "os_v2_app_ os_v2_org_", "<l80,120>"],
  ["HubSpot token", "pat-na1- pat-na2- pat-eu1- pat-ap1-", "<uuid>"],
  ["Intercom token", "dG9r", "[A-Za-z0-9+/=]{50,80}"],
  ["Facebook token", "EAAM EAAC EAAG EAAB EAAD EAAJ EAAE EAAF", "<a60,400>"],
  ["Instagram token", "IGQV IGAA", "<w60,300>"],
  ["Pinterest token", "pina_", "<u80,160>"],
  ["Dropbox token", "sl.", "[\\w=-]{130,1400}"],
  ["Twitter token", "AAAAAAAAAAAAAAAAAAAAAA", "[A-Za-z0-9%]{80,100}"],
];
