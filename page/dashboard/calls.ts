/** A call of the API as it is typed in a shell; the key comes from the environment, so that it is in no history. */
export function curlOf(origin: string, operation: string, input: object): string {
  return [
    `curl -X POST ${origin}/v2/${operation}`,
    `-H "Authorization: Bearer $NAMEPLATE_ROOT_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(input))}`,
  ].join(' \\\n  ');
}

/** A command of the program: `commandOf(['domains', 'verify', 'shop.example.com'])`. */
export function commandOf(parts: readonly string[]): string {
  return ['nameplate', ...parts].map((part) => (/^[\w./:@%+=,-]+$/.test(part) ? part : quoted(part))).join(' ');
}

/** For a POSIX shell: nothing in single quotes is expanded. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
