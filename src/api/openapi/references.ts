import type { JsonSchema, Reference } from './api-document.ts';

/** References to components of a kind, by their names. */
export function referTo(kind: string, names: string[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]));
}

/** The schema in the document. A schema with a title is written once, into `components`, and referred to. */
export function refer(schema: unknown, components: Map<string, JsonSchema>): JsonSchema {
  const { title, ...rest } = schema as JsonSchema;
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, referWithin(key, value, components)]),
  );
  if (typeof title !== 'string') return inner;
  components.set(title, inner);
  return { $ref: `#/components/schemas/${title}` };
}

function referWithin(key: string, value: unknown, components: Map<string, JsonSchema>): unknown {
  if (key === 'items') return refer(value, components);
  if (key !== 'properties') return value;
  return Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, refer(each, components)]));
}
