import { join } from 'node:path';
import ts from 'typescript';

/**
 * Compiles the TypeScript client below `root` into JavaScript and its types, module by module: it has no packages.
 * Throws with what is wrong.
 */
export function compileClient(root: string, directory: string): void {
  const program = ts.createProgram([join(root, 'client/client.ts')], {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2024.d.ts'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    rootDir: join(root, 'client'),
    outDir: directory,
  });
  const { diagnostics } = program.emit();
  const [first] = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (first !== undefined) throw new Error(ts.flattenDiagnosticMessageText(first.messageText, '\n'));
}
