/** What is wrong with a reply as HTTP/1.1. */
export type ReplyProblem = "not_http" | "fields_too_large" | "interim_flood" | "upgrade";

/** Bytes that are no reply, or that could be read as one in two ways. Its message is ours and holds none of them. */
export class BadReplyError extends Error {
  readonly problem: ReplyProblem;

  constructor(problem: ReplyProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
