/** A refusal of the world. The API surface turns it into GitHub's shape for REST or GraphQL. */
export type WorldErrorType = "FORBIDDEN" | "NOT_FOUND" | "UNPROCESSABLE" | "VALIDATION" | "CONFLICT" | "LOCKED" | "UNAUTHORIZED" | "GONE";

/** REST status that goes with each type. */
export const REST_STATUS: Readonly<Record<WorldErrorType, number>> = {
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  UNPROCESSABLE: 422,
  VALIDATION: 422,
  CONFLICT: 409,
  LOCKED: 403,
  UNAUTHORIZED: 401,
  GONE: 410,
};

export class WorldError extends Error {
  readonly type: WorldErrorType;

  constructor(type: WorldErrorType, message: string) {
    super(message);
    this.name = "WorldError";
    this.type = type;
  }
}

/** GitHub's own sentences, one place. */
export const MESSAGES = {
  badCredentials: "Bad credentials",
  notFound: "Not Found",
  noNode: (id: string) => `Could not resolve to a node with the global id of '${id}'`,
  integration: "Resource not accessible by integration",
  personalToken: "Resource not accessible by personal access token",
  noPermission: (login: string, what: string) => `${login} does not have the correct permissions to execute \`${what}\``,
  locked: "Unable to create comment because issue is locked.",
  archived: "Repository was archived so is read-only.",
  bodyBlank: "Body can't be blank",
  bodyTooLong: "body is too long (maximum is 65536 characters)",
  ownReview: (what: "approve" | "request changes on") => `Review Can not ${what} your own pull request`,
  onePending: "user_id can only have one pending review per pull request",
  submitted: "Review has already been submitted.",
  lineNotInDiff: "pull_request_review_thread.line must be part of the diff",
  pathNotInDiff: "pull_request_review_thread.path diff too large or path not part of the diff",
  replyToReply: "Replies to replies are not supported",
  notCollaborator: (repository: string) =>
    `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${repository} repository.`,
  requestAuthor: "Review cannot be requested from pull request author.",
  headMoved: "Head branch was modified. Review and try the merge again.",
  stillDraft: "Pull Request is still a draft",
  notMergeable: "Pull Request is not mergeable",
  reviewPending: "A review is already pending for this pull request.",
} as const;
