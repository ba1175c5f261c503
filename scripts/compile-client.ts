import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** Entries of the package, from `client/`. */
const ENTRIES = ['client.ts', 'verify-webhook.ts', 'react/react.ts', 'testing/testing.ts'];

/**
 * Compiles the TypeScript client below `root` into `client/dist/`, JavaScript and its types, module by module: replaced
 * as a whole, once it is complete. Throws with what is wrong.
 */
export function compileClient(root: string): void {
  const directory = join(root, 'client/dist');
  const next = `${directory}.${process.pid}`;
  const entries = ENTRIES.map((entry) => join(root, 'client', entry));
  const program = ts.createProgram(entries, {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    rootDir: join(root, 'client'),
    outDir: next,
  });
  const { diagnostics } = program.emit();
  const [first] = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (first !== undefined) throw new Error(ts.flattenDiagnosticMessageText(first.messageText, '\n'));
  rmSync(directory, { recursive: true, force: true });
  renameSync(next, directory);
}

// As npm does before it packs.
if (import.meta.main) compileClient(dirname(import.meta.dirname));
