/** GitHub's schema, read once and only when the first GraphQL request comes in. */
import { readFile } from "node:fs/promises";
import { buildASTSchema, parse, validate, visit, type DocumentNode, type GraphQLError, type GraphQLSchema } from "graphql";

let reading: Promise<DocumentNode> | undefined;
const document = (): Promise<DocumentNode> => {
  reading ??= (async () => parse(await readFile(new URL("../schema.graphql", import.meta.url), "utf8"), { noLocation: true }))();
  return reading;
};

/** Each of these fields (`Type.field`) is left out. */
const without = (all: DocumentNode, fields: readonly string[]): DocumentNode =>
  visit(all, {
    ObjectTypeDefinition: (type) => ({
      ...type,
      fields: (type.fields ?? []).filter((field) => !fields.includes(`${type.name.value}.${field.name.value}`)),
    }),
  });

// Checked when it is cut (and by a test), so not again at each start.
const build = (of: DocumentNode): GraphQLSchema => buildASTSchema(of, { assumeValid: true, assumeValidSDL: true });

/** What GitHub says against a text. It lets one key stand for fields of different types, where no object can have both. */
export const validateText = (schema: GraphQLSchema, text: DocumentNode): readonly GraphQLError[] =>
  validate(schema, text).filter((error) => !/because they return conflicting types/u.test(error.message));

let loading: Promise<GraphQLSchema> | undefined;
export const loadSchema = (): Promise<GraphQLSchema> => {
  loading ??= (async () => build(await document()))();
  return loading;
};

/** The schema of an older server. */
export const olderSchema = async (fields: readonly string[]): Promise<GraphQLSchema> => build(without(await document(), fields));
