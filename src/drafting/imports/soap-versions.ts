import type { Json } from "../../terms/json/json.ts";
import { EXAMPLE_TEXT } from "./openapi-schema.ts";

/** What differs between the versions of SOAP. */
export const SOAP = {
  "1.1": {
    wsdl: "http://schemas.xmlsoap.org/wsdl/soap/",
    envelope: "http://schemas.xmlsoap.org/soap/envelope/",
    code: "faultcode",
    detail: "detail",
    sender: "Client",
    fault: (detail: Json) => ({ faultcode: "soap:Client", faultstring: EXAMPLE_TEXT, detail }),
  },
  "1.2": {
    wsdl: "http://schemas.xmlsoap.org/wsdl/soap12/",
    envelope: "http://www.w3.org/2003/05/soap-envelope",
    code: "Code.Value",
    detail: "Detail",
    sender: "Sender",
    fault: (detail: Json) => ({ Code: { Value: "soap:Sender" }, Reason: { Text: EXAMPLE_TEXT }, Detail: detail }),
  },
} as const;

export type SoapVersion = keyof typeof SOAP;
