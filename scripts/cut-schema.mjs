// Makes sandbox/server/schema.graphql: the part of GitHub's GraphQL schema that the sandbox serves.
//
// Source: the devDependency @octokit/graphql-schema (MIT). Kept are the types listed here, and whatever they need:
// `whole` types keep every field, `kept` types keep the fields that lead to a kept type, and a type that is only
// referred to by a whole one becomes a shell (scalars, and for a connection its nodes). Descriptions are dropped.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";
import { Kind, parse, print, visit } from "graphql";

const folder = dirname(fileURLToPath(import.meta.resolve("@octokit/graphql-schema")));
const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
const source = parse(await readFile(join(folder, "schema.graphql"), "utf8"), { noLocation: true });

const queries = "id relay node nodes viewer repository rateLimit resource user organization repositoryOwner search".split(" ");
const mutations = `resolveReviewThread unresolveReviewThread addPullRequestReviewThreadReply addPullRequestReviewThread
  addPullRequestReviewComment addPullRequestReview updatePullRequestReview submitPullRequestReview deletePullRequestReview
  dismissPullRequestReview updatePullRequestReviewComment deletePullRequestReviewComment minimizeComment unminimizeComment
  requestReviews markPullRequestReadyForReview convertPullRequestToDraft updatePullRequest updatePullRequestBranch
  enqueuePullRequest dequeuePullRequest addComment updateIssueComment deleteIssueComment closePullRequest reopenPullRequest
  createPullRequest mergePullRequest enablePullRequestAutoMerge disablePullRequestAutoMerge addReaction removeReaction
  createIssue lockLockable unlockLockable`.split(/\s+/);

// Clients introspect these or select freely from them, so a field that GitHub has must be there.
const whole = new Set(
  `PullRequest PullRequestReview PullRequestReviewThread PullRequestReviewComment IssueComment ReviewRequest
  PullRequestCommit PullRequestChangedFile StatusCheckRollup StatusCheckRollupContextConnection CheckRun CheckSuite StatusContext
  Status WorkflowRun Workflow Ref RefUpdateRule Bot Label App MergeQueueEntry AutoMergeRequest PageInfo RateLimit Reaction ReactionGroup
  ReviewRequestedEvent ReviewRequestRemovedEvent ReviewDismissedEvent ReadyForReviewEvent ConvertToDraftEvent HeadRefForcePushedEvent
  ClosedEvent ReopenedEvent MergedEvent BaseRefChangedEvent AddedToMergeQueueEvent RemovedFromMergeQueueEvent CommentDeletedEvent`.split(
    /\s+/,
  ),
);
const kept = new Set([
  ...whole,
  ...`Query Mutation Repository User Organization Team Mannequin EnterpriseUserAccount Commit Issue Milestone Deployment DeploymentStatus
  GitActor Comparison BranchProtectionRule ProjectCard Project ProjectColumn ProjectV2Item ProjectV2 MergeQueue UserContentEdit
  PullRequestTimelineItems LabeledEvent UnlabeledEvent AssignedEvent UnassignedEvent RenamedTitleEvent MentionedEvent SubscribedEvent
  CrossReferencedEvent ReferencedEvent HeadRefDeletedEvent HeadRefRestoredEvent LockedEvent UnlockedEvent DeployedEvent
  AutoMergeEnabledEvent AutoMergeDisabledEvent PullRequestReviewDecision SearchResultItemConnection License Language Tree Blob
  TreeEntry RepositoryTopic Topic Push CommitComment DiscussionComment GistComment CheckStep CheckAnnotation`.split(/\s+/),
]);

const definitions = new Map();
for (const definition of source.definitions)
  if ("name" in definition && definition.name) definitions.set(definition.name.value, definition);

const named = (type) => (type.kind === Kind.NAMED_TYPE ? type.name.value : named(type.type));
const kindOf = (name) => definitions.get(name)?.kind;
const isLeaf = (name) =>
  kindOf(name) === undefined || kindOf(name) === Kind.SCALAR_TYPE_DEFINITION || kindOf(name) === Kind.ENUM_TYPE_DEFINITION;
const isAbstract = (name) => kindOf(name) === Kind.INTERFACE_TYPE_DEFINITION || kindOf(name) === Kind.UNION_TYPE_DEFINITION;
const isPaged = (name) => /(Connection|Edge|Payload)$/u.test(name);
const members = (name) => {
  const definition = definitions.get(name);
  if (definition.kind === Kind.UNION_TYPE_DEFINITION) return definition.types.map((type) => type.name.value);
  return [...definitions.values()]
    .filter((other) => other.kind === Kind.OBJECT_TYPE_DEFINITION && other.interfaces.some((one) => one.name.value === name))
    .map((other) => other.name.value);
};

// A field may stay in a kept type if its result leads to a kept one: itself, the nodes of its connection, a member of its union.
const leads = (name, seen = new Set()) => {
  if (isLeaf(name) || kept.has(name)) return true;
  if (seen.has(name)) return false;
  seen.add(name);
  if (isAbstract(name)) return members(name).some((member) => kept.has(member));
  if (!isPaged(name)) return false;
  return definitions
    .get(name)
    .fields.some((field) => ["nodes", "node", "edges"].includes(field.name.value) && leads(named(field.type), seen));
};

const wanted = new Map();
const inputs = (name) => {
  if (wanted.has(name) || !definitions.has(name)) return;
  const definition = definitions.get(name);
  wanted.set(name, definition);
  for (const field of definition.fields ?? []) inputs(named(field.type));
};

const fieldsOf = (definition) => {
  const name = definition.name.value;
  const seen = new Set();
  return definition.fields.filter((field) => {
    const key = field.name.value;
    if (seen.has(key)) return false;
    seen.add(key);
    const result = named(field.type);
    if (name === "Query") return queries.includes(key);
    if (name === "Mutation") return mutations.includes(key);
    if (whole.has(name) || name.endsWith("Payload")) return true;
    if (kept.has(name)) return leads(result);
    if (isPaged(name)) return isLeaf(result) || ["nodes", "node", "edges", "pageInfo"].includes(key) || leads(result);
    return isLeaf(result) || leads(result);
  });
};

const reach = (name) => {
  if (wanted.has(name) || !definitions.has(name)) return;
  const definition = definitions.get(name);
  if (definition.kind === Kind.UNION_TYPE_DEFINITION) {
    const types = definition.types.filter((type) => kept.has(type.name.value) || definition.types.length < 6);
    wanted.set(name, { ...definition, types });
    for (const type of types) reach(type.name.value);
    return;
  }
  if (!("fields" in definition)) return void wanted.set(name, definition);
  const shell = !kept.has(name) && !isPaged(name);
  const leaves = definition.fields.filter((field) => isLeaf(named(field.type)));
  // A shell without any scalar would be no type at all.
  const fields = !shell ? fieldsOf(definition) : leaves.length > 0 ? leaves : definition.fields;
  wanted.set(name, { ...definition, fields });
  for (const field of fields) {
    reach(named(field.type));
    for (const argument of field.arguments ?? []) inputs(named(argument.type));
  }
};
for (const name of kept) reach(name);

// An interface stays with the fields that every implementer still has, and only if somebody returns it or implements it whole.
for (const [name, definition] of wanted) {
  for (const one of definition.interfaces ?? []) {
    const face = one.name.value;
    if (!wanted.has(face) && whole.has(name)) wanted.set(face, { ...definitions.get(face) });
  }
}
for (;;) {
  const before = wanted.size;
  for (const definition of wanted.values()) {
    for (const field of definition.kind === Kind.INTERFACE_TYPE_DEFINITION ? definition.fields : []) {
      const result = named(field.type);
      if (isLeaf(result) || leads(result)) reach(result);
      for (const argument of field.arguments ?? []) inputs(named(argument.type));
    }
  }
  if (wanted.size === before) break;
}
// Nothing may point at what is gone; an interface keeps the fields that all its implementers still have, and without any it goes too.
const known = (field) => wanted.has(named(field.type)) || kindOf(named(field.type)) === undefined;
for (let changed = true; changed;) {
  changed = false;
  for (const [name, definition] of wanted) {
    if (!definition.fields) continue;
    let fields = definition.fields.filter(known);
    if (definition.kind === Kind.INTERFACE_TYPE_DEFINITION) {
      const implementers = [...wanted.values()].filter((other) => other.interfaces?.some((one) => one.name.value === name));
      fields = fields.filter((field) => implementers.every((other) => other.fields.some((its) => its.name.value === field.name.value)));
    }
    const interfaces = definition.interfaces?.filter((one) => wanted.has(one.name.value));
    if (fields.length !== definition.fields.length || interfaces?.length !== definition.interfaces?.length) changed = true;
    if (fields.length === 0) wanted.delete(name);
    else wanted.set(name, { ...definition, fields, ...(interfaces && { interfaces }) });
  }
}
for (const [name, definition] of definitions) if (definition.kind === Kind.DIRECTIVE_DEFINITION) wanted.delete(name);

// What GitHub serves today and the packaged schema does not have yet.
const drift = {
  RequestReviewsInput: ["botIds: [ID!]"],
  Mutation: ["requestReviewsByLogin(input: RequestReviewsByLoginInput!): RequestReviewsByLoginPayload"],
  ReportedContentClassifiers: ["LOW_QUALITY"],
  IssueComment: ["viewerCanUnminimize: Boolean!"],
  PullRequestReview: ["viewerCanUnminimize: Boolean!"],
  PullRequestReviewComment: ["viewerCanUnminimize: Boolean!"],
};
const additions = `
type EnterpriseTeam { id: ID! name: String! slug: String! }
input RequestReviewsByLoginInput {
  clientMutationId: String
  pullRequestId: ID!
  userLogins: [String!]
  botLogins: [String!]
  teamSlugs: [String!]
  union: Boolean = false
}
type RequestReviewsByLoginPayload { actor: Actor clientMutationId: String pullRequest: PullRequest requestedReviewersEdge: UserEdge }
`;
const added = (text, wrapper) => parse(wrapper(text), { noLocation: true }).definitions[0];
for (const [name, lines] of Object.entries(drift)) {
  const definition = wanted.get(name);
  for (const line of lines) {
    if (definition.kind === Kind.ENUM_TYPE_DEFINITION) {
      const extra = added(line, (text) => `enum X { ${text} }`).values;
      wanted.set(name, { ...definition, values: [...definition.values, ...extra] });
    } else {
      const wrapper = definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION ? "input" : "type";
      const extra = added(line, (text) => `${wrapper} X { ${text} }`).fields;
      wanted.set(name, { ...wanted.get(name), fields: [...wanted.get(name).fields, ...extra] });
    }
  }
}
for (const definition of parse(additions, { noLocation: true }).definitions) wanted.set(definition.name.value, definition);
const reviewer = wanted.get("RequestedReviewer");
wanted.set("RequestedReviewer", { ...reviewer, types: [...reviewer.types, added("", () => "union X = EnterpriseTeam").types[0]] });

const bare = visit(
  { kind: Kind.DOCUMENT, definitions: [...wanted.values()].sort((a, b) => (a.name.value < b.name.value ? -1 : 1)) },
  {
    enter(node) {
      const clean = { ...node };
      delete clean.description;
      if ("directives" in clean) clean.directives = [];
      return clean;
    },
  },
);
const header = `# A part of GitHub's GraphQL schema, cut from @octokit/graphql-schema ${version} by scripts/cut-schema.mjs; see NOTICE.
# Copyright (c) GitHub 2025, MIT License. Descriptions are dropped, and what GitHub has added since is merged in.

`;
const text = `${header}${print(bare).replaceAll("\n\n", "\n")}\n`;
await writeFile("sandbox/server/schema.graphql", text);
process.stdout.write(`${wanted.size} types, ${Math.round(text.length / 1024)} KB\n`);
