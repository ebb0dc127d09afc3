/** Why a reply cannot be read as HTTP/1.1. */
export type ReplyProblem = "not_http" | "fields_too_large" | "interim_flood" | "upgrade";

/** The bytes are not a reply, or can be read as one in two ways. The message contains none of the bytes. */
export class BadReplyError extends Error {
  readonly problem: ReplyProblem;

  constructor(problem: ReplyProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
