/** Setting the scene: accounts, tokens, repositories, rules of branches. No permission is asked for here. */
import type { Association } from "../../core/index.js";
import { nodeId } from "./ids.js";
import type { AccountRecord, Grant, Permission, Protection, RepositoryRecord, Session } from "./records.js";
import type { RepositoryName } from "./repositories.js";
import type { State } from "./state.js";

export interface AccountInput {
  readonly kind?: AccountRecord["kind"];
  /** A bot that can be asked for a review. */
  readonly requestable?: boolean;
  readonly spelling?: AccountRecord["spelling"];
  readonly members?: readonly string[];
  /** A fixed number, where a client knows the account by it. */
  readonly databaseId?: number;
}

const PREFIX: Readonly<Record<AccountRecord["kind"], string>> = { user: "U", bot: "BOT", organization: "O", mannequin: "M" };

export const addAccount = (state: State, login: string, input: AccountInput = {}): AccountRecord => {
  if (login.endsWith("[bot]")) throw new Error(`Accounts are added by their bare login: "${login}".`);
  if (state.accounts.has(login)) throw new Error(`There is an account "${login}" already.`);
  const kind = input.kind ?? "user";
  const databaseId = input.databaseId ?? state.counters.next("account");
  const account: AccountRecord = {
    id: nodeId(PREFIX[kind], databaseId),
    databaseId,
    login,
    kind,
    requestable: input.requestable ?? false,
    spelling: input.spelling ?? {},
    members: new Set(input.members),
    deleted: false,
  };
  state.accounts.set(login, account);
  state.nodes.set(account.id, { type: "account", value: account });
  return account;
};

/** Registers a token. Without a grant: classic, or for a bot an app's with every permission. */
export const addToken = (state: State, token: string, login: string, grant?: Grant): Session => {
  const session = grant === undefined ? state.session(login) : { login: state.account(login).login, grant };
  state.sessions.set(token, session);
  return session;
};

export interface RepositoryInput {
  readonly defaultBranch?: string;
  readonly private?: boolean;
  readonly forkOf?: RepositoryName;
  /** First commit of the default branch. */
  readonly files?: Readonly<Record<string, string>>;
  readonly access?: Readonly<Record<string, Permission>>;
  readonly codeOwners?: readonly string[];
}

export const addRepository = (state: State, fullName: RepositoryName, input: RepositoryInput = {}): RepositoryRecord => {
  const slash = fullName.indexOf("/");
  const owner = fullName.slice(0, slash);
  state.account(owner);
  const defaultBranch = input.defaultBranch ?? "main";
  const databaseId = state.counters.next("repository");
  const repository: RepositoryRecord = {
    id: nodeId("R", databaseId),
    databaseId,
    owner,
    name: fullName.slice(slash + 1),
    fullName,
    defaultBranch,
    ...(input.forkOf === undefined ? {} : { forkOf: input.forkOf }),
    private: input.private ?? false,
    archived: false,
    access: new Map(Object.entries(input.access ?? {})),
    associations: new Map(),
    protections: new Map(),
    pullRequests: new Map(),
    issues: new Map(),
    codeOwners: input.codeOwners ?? [],
    nextNumber: 1,
  };
  state.git.create(fullName, { defaultBranch, ...(input.forkOf === undefined ? {} : { forkOf: input.forkOf }) });
  if (input.forkOf === undefined) {
    const sha = state.git.write(fullName, undefined, input.files ?? { "README.md": `# ${repository.name}\n` }, "First commit", state.now());
    state.git.move(fullName, defaultBranch, undefined, sha);
  }
  state.repositories.set(fullName, repository);
  state.nodes.set(repository.id, { type: "repository", value: repository });
  return repository;
};

export const setAccess = (state: State, repository: string, login: string, permission: Permission, association?: Association): void => {
  const record = state.repository(repository);
  record.access.set(state.account(login).login, permission);
  if (association !== undefined) record.associations.set(login, association);
};

export const protect = (state: State, repository: string, branch: string, rules: Partial<Protection>): void => {
  const record = state.repository(repository);
  record.protections.set(branch, {
    requiredChecks: [],
    requiresConversationResolution: false,
    requiredApprovals: 0,
    upToDate: false,
    dismissStaleReviews: false,
    ...record.protections.get(branch),
    ...rules,
  });
};
