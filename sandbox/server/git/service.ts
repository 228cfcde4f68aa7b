/** Git over HTTP: who may read and push, `git http-backend`, and the world's reaction to a push. */
import { WorldError } from "../../world/errors.js";
import type { World } from "../../world/index.js";
import { refuseRead } from "../../world/rules.js";
import type { Session } from "../../world/records.js";
import type { RepositoryName } from "../../world/repositories.js";
import type { Exchange, Reply } from "../exchange.js";
import type { BareRepositories } from "./bare-repositories.js";
import type { GitBackend } from "./http-backend.js";
import { pushCommands, type PushCommand } from "./push-commands.js";

export interface GitCall {
  readonly repository: string;
  /** `info/refs`, `git-upload-pack`, `git-receive-pack`. */
  readonly rest: string;
  readonly push: boolean;
}

/** A git request by its path, or undefined. */
export const gitCall = (exchange: Exchange): GitCall | undefined => {
  const match = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/u.exec(exchange.path);
  if (match === null) return undefined;
  const [, owner = "", name = "", rest = ""] = match;
  const push = rest === "git-receive-pack" || exchange.query.get("service") === "git-receive-pack";
  return { repository: `${owner}/${name}`, rest, push };
};

const text = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", ...headers },
  body: `${body}\n`,
});
const unauthorized = (): Reply => text(401, "Repository not found.", { "www-authenticate": 'Basic realm="GitHub"' });

const ZERO = "0".repeat(40);

export interface GitService {
  /** `session` is undefined for nobody, `null` for a token that is not known. */
  run(call: GitCall, exchange: Exchange, session: Session | undefined | null): Promise<Reply>;
}

export const gitService = (world: World, repositories: BareRepositories, backend: GitBackend): GitService => {
  /** Pushes to one repository one after the other, so that each knows what it moved. */
  const queues = new Map<string, Promise<unknown>>();
  const inTurn = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    const before = queues.get(name) ?? Promise.resolve();
    const mine = before.then(act, act);
    queues.set(
      name,
      mine.catch(() => {}),
    );
    return mine;
  };

  /** Why a push is refused as a whole (GitHub takes all refs of a push or says which one it does not), or undefined. */
  const declined = (session: Session, name: RepositoryName, commands: readonly PushCommand[]): string | undefined => {
    for (const command of commands) {
      const branch = command.ref.replace(/^refs\/heads\//u, "");
      if (branch === command.ref) continue;
      try {
        world.mayPush(session, name, branch);
      } catch (error) {
        if (error instanceof WorldError) return error.message;
        throw error;
      }
      if (command.after === ZERO && world.repository(name).defaultBranch === branch) return "refusing to delete the default branch";
    }
    return undefined;
  };

  /** May this session push anything here at all? A fork's branch of a pull request may be open to maintainers of the base. */
  const mayPushSomewhere = (session: Session, name: RepositoryName): boolean => {
    const branches = [undefined, ...repositories.branches(name)];
    return branches.some((branch) => {
      try {
        world.mayPush(session, name, branch ?? "");
        return true;
      } catch {
        return false;
      }
    });
  };

  const push = async (exchange: Exchange, name: RepositoryName, path: string, session: Session): Promise<Reply> => {
    const encoding = exchange.headers["content-encoding"];
    const commands = pushCommands(exchange.body, Array.isArray(encoding) ? encoding[0] : encoding);
    const reply = await backend.run(exchange, path, { login: session.login, decline: declined(session, name, commands) });
    for (const { branch, before, after } of repositories.refresh(name)) {
      if (after !== undefined) world.branchMoved(session.login, name, branch, before, after);
    }
    return reply;
  };

  /** `refs/pull/7/head`, as GitHub publishes it in the base repository. */
  const publishPulls = (name: RepositoryName): void => {
    for (const pullRequest of world.repository(name).pullRequests.values()) {
      repositories.publish(name, `refs/pull/${pullRequest.number}/head`, pullRequest.head.sha);
    }
  };

  return {
    async run(call, exchange, session) {
      const found = repositories.folderOf(call.repository);
      const record = found === undefined ? undefined : world.repositories.get(found.name);
      if (session === null) return text(401, "Bad credentials", { "www-authenticate": 'Basic realm="GitHub"' });
      if (session === undefined && (call.push || record === undefined || record.private)) return unauthorized();
      if (found === undefined || record === undefined) return text(404, "Repository not found.");
      if (session !== undefined && refuseRead(world.state, session, record) !== undefined) return text(404, "Repository not found.");
      const path = `/${found.name}.git/${call.rest}`;
      if (!call.push) {
        if (call.rest === "info/refs") publishPulls(found.name);
        return backend.run(exchange, path, { login: session?.login });
      }
      if (session === undefined) return unauthorized();
      if (record.archived) return text(403, "This repository was archived so it is read-only.");
      if (!mayPushSomewhere(session, found.name)) {
        return text(403, `Permission to ${found.name}.git denied to ${session.login}.`);
      }
      if (call.rest === "info/refs") return backend.run(exchange, path, { login: session.login });
      return inTurn(found.name, () => push(exchange, found.name, path, session));
    },
  };
};
