import {
  AliasNode,
  ColumnNode,
  IdentifierNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  ReferenceNode,
  type RootOperationNode,
  type SelectionNode,
} from 'kysely';

/**
 * Statements name tables and columns in camelCase, as TypeScript does; their SQL has them in snake_case. What a statement selects has the name
 * in camelCase as its alias, so that rows need no renaming. Runs once for each statement, when it is compiled.
 */
export const camelCase: KyselyPlugin = {
  transformQuery: ({ node, queryId }) => withAliases(renamer.transformNode(node, queryId), node),
  transformResult: async ({ result }) => result,
};

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

class Renamer extends OperationNodeTransformer {
  protected override transformIdentifier({ name }: IdentifierNode): IdentifierNode {
    return IdentifierNode.create(snakeCase(name));
  }
}

const renamer = new Renamer();

/** `renamed` with the names of its rows as they are in `given`. */
function withAliases(renamed: RootOperationNode, given: RootOperationNode): RootOperationNode {
  const aliases = (of: readonly SelectionNode[], as: readonly SelectionNode[] = []) =>
    of.map((selection, i) => withAlias(selection, as[i] && nameOf(as[i])));
  if (renamed.kind === 'SelectQueryNode' && given.kind === 'SelectQueryNode' && renamed.selections) {
    return { ...renamed, selections: aliases(renamed.selections, given.selections) };
  }
  if (renamed.kind === 'InsertQueryNode' && given.kind === 'InsertQueryNode' && renamed.returning) {
    const selections = aliases(renamed.returning.selections, given.returning?.selections);
    return { ...renamed, returning: { ...renamed.returning, selections } };
  }
  return renamed;
}

function withAlias(renamed: SelectionNode, alias: string | undefined): SelectionNode {
  if (alias === undefined || alias === nameOf(renamed)) return renamed;
  const { selection } = renamed;
  const node = AliasNode.is(selection) ? selection.node : selection;
  return { kind: 'SelectionNode', selection: AliasNode.create(node, IdentifierNode.create(alias)) };
}

function nameOf({ selection }: SelectionNode): string | undefined {
  if (AliasNode.is(selection)) return IdentifierNode.is(selection.alias) ? selection.alias.name : undefined;
  const column = ReferenceNode.is(selection) ? selection.column : selection;
  return ColumnNode.is(column) ? column.column.name : undefined;
}
