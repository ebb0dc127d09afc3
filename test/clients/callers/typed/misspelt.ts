import { client, retryable } from "./client/index.js";

const datarun = client({ url: "https://data.example.com", token: "drt_x", workflow: "wfl_x" });

await datarun.data({
  sources: {
    date_holidays__business_days: true,
    google__phone_number: true,
    ibantools__bank_account: true,
    iptoasn__ip_country: true,
    iso__country: true,
    mailcheck__email_address: true,
    names__person_comparison: true,
    openstreetmap__country_at: true,
    publicsuffix__domain: true,
    stdnum__registration_number: true,
  },
  inputs: {
    country: "GB",
    date: "2026-01-01",
    phone: "+44 20 7946 0958",
    ip: "192.0.2.1",
    email: "ada@example.com",
    name: "Ada",
    other_name: "Ada",
    latitude: 51.5,
    longitude: 0,
    domain: "example.com",
    kind: "vat",
    number: "1",
    // refused: 'ibna'
    ibna: "GB33BUKB20201555555555",
  },
});
await datarun.data({
  sources: { google__phone_number: true },
  // refused: 'phoen'
  inputs: { phoen: "+44 20 7946 0958" },
});
await datarun.data({
  sources: { google__phone_number: true },
  // refused: 'ip' does not exist
  inputs: { phone: "+44 20 7946 0958", ip: "192.0.2.1" },
});
await datarun.data({
  // refused: not assignable to type 'never'
  sources: { google__phone_number: true, google__phone_nubmer: true },
  inputs: { phone: "+44 20 7946 0958" },
});
// refused: 'api_kye'
await datarun.data({ sources: { hibp__breached_account: { credentials: { api_kye: "x" } } }, inputs: { email: "x" } });
// refused: not assignable to parameter of type
await datarun.func("dfunc_contact_chekc", {});
// refused: 'phoen'
await datarun.func("dfunc_contact_check", { phoen: "+44 20 7946 0958" });

const answer = await datarun.data({ sources: { google__phone_number: true }, inputs: { phone: "+44 20 7946 0958" } });
const { google__phone_number: result } = answer.results;
// refused: Type 'undefined' is not assignable to type 'string'
const text: string = result.output.e164;
// refused: 'e146'
if (result.success && result.match) result.output.e146;
// refused: 'output' does not exist
retryable(answer)?.output;
// refused: 'iso__country' does not exist
answer.results.iso__country;
