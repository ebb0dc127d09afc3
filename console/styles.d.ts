/** The bundler gathers what is imported like this into one style sheet. */
declare module "*.css";
