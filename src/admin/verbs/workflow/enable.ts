export { enable as default } from "./disable.ts";
