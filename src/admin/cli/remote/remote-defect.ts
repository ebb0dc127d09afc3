/** A defect of the remote service. The message is safe to print. */
export class RemoteDefect extends Error {}
