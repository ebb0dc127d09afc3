/** A verb failed in a service in a way that is a defect. Its message is fit to be printed. */
export class RemoteDefect extends Error {}
