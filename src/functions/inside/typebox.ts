/** The real `Type`, for reading a declaration whose schemas are made with it. */
export { Type } from "typebox";
