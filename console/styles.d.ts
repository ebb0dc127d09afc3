/** The bundler collects imported style sheets into one file. */
declare module "*.css";
