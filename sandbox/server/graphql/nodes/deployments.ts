/** Previews of a head, as deployments with one status each. */
import { nodeId } from "../../../world/ids.js";
import type { PullRequestRecord } from "../../../world/records.js";
import { time, type View } from "../../view.js";
import { connection, type Fields } from "../connection.js";
import { actor } from "./actors.js";
import { commitNode } from "./commit.js";
import { repositoryNode } from "./repository.js";

type Deployed = PullRequestRecord["deployments"][number];

/** Its number: place of the pull request and of the deployment in it. */
export const deploymentNumber = (pullRequest: PullRequestRecord, one: Deployed): number =>
  pullRequest.number * 1_000 + pullRequest.deployments.indexOf(one) + 1;

export const deploymentNode = (view: View, pullRequest: PullRequestRecord, one: Deployed): Fields => {
  const number = deploymentNumber(pullRequest, one);
  const status = (): Fields => ({
    __typename: "DeploymentStatus",
    id: nodeId("DES", number),
    state: one.state.toUpperCase(),
    environment: one.environment,
    environmentUrl: one.url,
    logUrl: null,
    description: "",
    createdAt: time(one.at),
    updatedAt: time(one.at),
    creator: () => actor(view, pullRequest.author),
    deployment: () => deploymentNode(view, pullRequest, one),
  });
  return {
    __typename: "Deployment",
    id: nodeId("DE", number),
    databaseId: number,
    commitOid: one.head,
    commit: () => commitNode(view, pullRequest.repository, one.head),
    environment: one.environment,
    latestEnvironment: one.environment,
    originalEnvironment: one.environment,
    state: one.state === "success" ? "ACTIVE" : one.state.toUpperCase(),
    description: null,
    payload: "",
    task: "deploy",
    ref: null,
    creator: () => actor(view, pullRequest.author),
    createdAt: time(one.at),
    updatedAt: time(one.at),
    repository: () => repositoryNode(view, view.world.repository(pullRequest.repository)),
    latestStatus: status,
    statuses: connection(
      view,
      () => [status()],
      (each) => each,
    ),
  };
};
