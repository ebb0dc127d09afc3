import type { RunAccess, RunService } from "../admin/ports.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { isJsonObject, type JsonObject, readJsonExactly } from "../terms/json/json.ts";

/**
 * A client of a running service. Uses Node's own HTTP client, because an operator sends one request to this machine.
 * @param watch reports the finished calls of a token's run until the returned function is called
 */
export function toRunService(url: string, watch: (tokenId: string) => () => void = watchNothing): RunService {
  const post =
    (path: "/data" | "/func"): RunService["func"] =>
    async (access, body) => {
      const unwatch = watch(access.tokenId);
      try {
        return await send(url, path, access, body);
      } finally {
        unwatch();
      }
    };
  return { url, data: post("/data"), func: post("/func") };
}

function watchNothing(): () => void {
  return () => {};
}

/** @throws OperatorError */
async function send(
  url: string,
  path: string,
  { accessToken, workflow }: RunAccess,
  body: JsonObject,
): Promise<JsonObject> {
  let reply: Response;
  try {
    reply = await fetch(`${url}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-service-access-token": accessToken,
        "x-service-workflow": workflow,
      },
      body: JSON.stringify(body),
    });
  } catch (cause) {
    throw new OperatorError("unavailable", `The service at ${url} does not answer.`, { cause });
  }
  const answer = readJsonExactly(await reply.text()) as JsonObject;
  if (reply.ok) return answer;
  throw new OperatorError("refused", `The service answered ${reply.status}: ${messageOf(answer["error"])}`);
}

function messageOf(error: unknown): string {
  if (!isJsonObject(error)) return "it gave no reason";
  const details = Array.isArray(error["details"]) ? (error["details"] as { path: string; message: string }[]) : [];
  const message = typeof error["message"] === "string" ? error["message"] : "";
  return [message, ...details.map(({ path, message }) => `${path} ${message}`)].join(" ");
}
