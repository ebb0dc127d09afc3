export { sql } from "kysely";
