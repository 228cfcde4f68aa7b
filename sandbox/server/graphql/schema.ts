/** GitHub's schema, read once and only when the first GraphQL request comes in. */
import { readFile } from "node:fs/promises";
import { buildASTSchema, parse, type GraphQLSchema } from "graphql";

let loading: Promise<GraphQLSchema> | undefined;

export const loadSchema = (): Promise<GraphQLSchema> => {
  loading ??= (async () => {
    const text = await readFile(new URL("../schema.graphql", import.meta.url), "utf8");
    // Checked when it is cut (and by a test), so not again at each start.
    return buildASTSchema(parse(text, { noLocation: true }), { assumeValid: true, assumeValidSDL: true });
  })();
  return loading;
};
