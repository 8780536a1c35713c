import type { TokenRow } from "../rule.js";

const UUID = "[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}";

/** Mail, chat, telephone and social networks. */
export const messageTokens: readonly TokenRow[] = [
  ["Slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxc- xoxd-", "[\\w%-]{10,250}"],
  ["Slack token", "xoxe.xoxb- xoxe.xoxp-", "\\d-[A-Za-z0-9]{140,200}"],
  ["Slack token", "xapp-", "\\d-[A-Z0-9]{5,20}-\\d{5,20}-[a-z0-9]{20,100}"],
  ["Twilio key", "SK", "[a-f0-9]{32}"],
  ["SendGrid key", "SG.", "[\\w-]{16,32}\\.[\\w-]{32,64}"],
  ["Mailgun key", "key- pubkey-", "[a-f0-9]{32}"],
  ["Mandrill key", "md-", "[\\w-]{22}", "random"],
  ["Brevo key", "xkeysib- xsmtpsib-", "[a-f0-9]{64}-[A-Za-z0-9]{16}"],
  ["Resend key", "re_", "[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"],
  ["OneSignal key", "os_v2_app_ os_v2_org_", "[a-z0-9]{80,120}"],
  ["HubSpot token", "pat-na1- pat-na2- pat-eu1- pat-ap1-", UUID],
  ["Intercom token", "dG9r", "[A-Za-z0-9+/=]{50,80}"],
  ["Facebook token", "EAAM EAAC EAAG EAAB EAAD EAAJ EAAE EAAF", "[A-Za-z0-9]{60,400}"],
  ["Instagram token", "IGQV IGAA", "[\\w-]{60,300}"],
  ["Pinterest token", "pina_", "[A-Z0-9]{80,160}"],
  ["Dropbox token", "sl.", "[\\w=-]{130,1400}"],
  ["Twitter token", "AAAAAAAAAAAAAAAAAAAAAA", "[A-Za-z0-9%]{80,100}"],
];
