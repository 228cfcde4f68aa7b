/** The cut of the schema says nothing that GitHub's own does not, and what real clients send is valid against it. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  buildASTSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  parse,
  validate,
  validateSchema,
  type GraphQLSchema,
} from "graphql";
import { expect, test } from "vitest";
import { loadSchema } from "../../sandbox/server/graphql/schema.js";
import { CLI_QUERIES } from "./client-queries.js";

const whole = (): GraphQLSchema => {
  const folder = new URL(".", import.meta.resolve("@octokit/graphql-schema"));
  const text = readFileSync(fileURLToPath(new URL("schema.graphql", folder)), "utf8");
  return buildASTSchema(parse(text, { noLocation: true }), { assumeValid: true, assumeValidSDL: true });
};

/** `Type.field(argument: T): R`, `Type = Member`, `Type.VALUE`: every fact that a schema states. */
const factsOf = (schema: GraphQLSchema): Set<string> => {
  const facts = new Set<string>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith("__")) continue;
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) {
        facts.add(`${type.name}.${field.name}: ${String(field.type)}`);
        for (const argument of field.args) facts.add(`${type.name}.${field.name}(${argument.name}: ${String(argument.type)})`);
      }
      for (const face of type.getInterfaces()) facts.add(`${type.name} implements ${face.name}`);
    } else if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) facts.add(`${type.name}.${field.name}: ${String(field.type)}`);
    } else if (isUnionType(type)) {
      for (const member of type.getTypes()) facts.add(`${type.name} = ${member.name}`);
    } else if (isEnumType(type)) {
      for (const value of type.getValues()) facts.add(`${type.name}.${value.name}`);
    }
  }
  return facts;
};

test("it is a valid schema, and all of it is GitHub's, except what GitHub has added since", async () => {
  const cut = await loadSchema();
  expect(validateSchema(cut)).toEqual([]);
  const known = factsOf(whole());
  const added = [...factsOf(cut)].filter((fact) => !known.has(fact));
  expect(added.filter((fact) => !/EnterpriseTeam|RequestReviewsByLogin|requestReviewsByLogin/u.test(fact))).toEqual([
    "IssueComment.viewerCanUnminimize: Boolean!",
    "PullRequestReview.viewerCanUnminimize: Boolean!",
    "PullRequestReviewComment.viewerCanUnminimize: Boolean!",
    "ReportedContentClassifiers.LOW_QUALITY",
    "RequestReviewsInput.botIds: [ID!]",
  ]);
});

test("types that clients look into whole are whole", async () => {
  const cut = await loadSchema();
  const original = whole();
  for (const name of [
    "PullRequest",
    "PullRequestReviewThread",
    "PullRequestReview",
    "WorkflowRun",
    "StatusCheckRollupContextConnection",
    "CheckRun",
  ]) {
    const names = (schema: GraphQLSchema): string[] => {
      const type = schema.getType(name);
      return isObjectType(type) ? Object.keys(type.getFields()) : [];
    };
    expect(names(cut)).toEqual(expect.arrayContaining(names(original)));
    expect(names(original).length).toBeGreaterThan(5);
  }
});

test.each(Object.entries(CLI_QUERIES))("the query of `gh %s` is valid", async (_command, text) => {
  expect(validate(await loadSchema(), parse(text))).toEqual([]);
});
