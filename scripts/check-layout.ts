// Holds the documents to the tree: docs/internals/architecture.md lists every folder, every path they name exists, names mean one
// thing each, and comments are sentences.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Number of file names that may recur: the same thing for another engine, for example. */
const MOST_RECURRING_FILES = 14;

const root = new URL('../', import.meta.url);
const files = ['client', 'words', 'playground', 'server/src'].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'))
    .filter(isSource)
    .map((file) => `${folder}/${file}`),
);

const problems = [
  ...layoutProblems(),
  ...pathProblems(),
  ...typeProblems(),
  ...fileProblems(),
  ...commentProblems(),
  ...commentPathProblems(),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

function layoutProblems(): string[] {
  const rows = readFileSync(new URL('docs/internals/architecture.md', root), 'utf8').matchAll(
    /^\| `((?:client|words|playground|server\/src)\/[^`]*)` \|/gm,
  );
  const listed = new Set([...rows].map(([, path]) => path ?? ''));
  const places = new Set(files.map((file) => (dirname(file) === 'server/src' ? file : `${dirname(file)}/`)));
  const missing = [...places].filter((place) => !listed.has(place));
  const gone = [...listed].filter((place) => !places.has(place));
  return [
    ...missing.map((place) => `docs/internals/architecture.md does not list ${place}.`),
    ...gone.map((place) => `docs/internals/architecture.md lists ${place}, which does not exist.`),
  ];
}

function pathProblems(): string[] {
  const pages = globSync('docs/*/*.md', { cwd: root });
  return ['README.md', 'CONTRIBUTING.md', ...pages].flatMap((page) => {
    const paths =
      readFileSync(new URL(page, root), 'utf8').match(
        /(?<![\w/.-])(?:client|page|playground|server|test|bench|scripts|deploy|words)\/[\w./-]*[\w/]/g,
      ) ?? [];
    const gone = [...new Set(paths)].filter((path) => !existsSync(new URL(path, root)));
    return gone.map((path) => `${page} names ${path}, which does not exist.`);
  });
}

/** Comments name files by their name, or by a folder and their name. */
function commentPathProblems(): string[] {
  const all = ['bench', 'bin', 'client', 'docs', 'page', 'playground', 'scripts', 'server', 'test', 'words']
    .flatMap((folder) =>
      readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' }).map(
        (file) => `/${folder}/${file}`,
      ),
    )
    .concat(readdirSync(root).map((file) => `/${file}`))
    .filter(
      (file) =>
        /\.(?:ts|mjs|md)$/.test(file) && !file.includes('/node_modules/') && isSource(file.replace(/^\/\w+\//, '')),
    );
  return all
    .filter((file) => !file.endsWith('.md'))
    .flatMap((file) => {
      const comments = readFileSync(new URL(`.${file}`, root), 'utf8').match(/^ *(?:\/\/|\/?\*).*/gm) ?? [];
      const named = comments.join('\n').matchAll(/(?<![\w./-])(?:[\w-]+\/)*[\w.-]+\.(?:ts|mjs|md)\b/g);
      const gone = [...named].filter(([path]) => !all.some((each) => each.endsWith(`/${path}`)));
      return gone.map(([path]) => `A comment in ${file.slice(1)} names ${path}, which does not exist.`);
    });
}

function typeProblems(): string[] {
  const declared = files.flatMap((file) =>
    [...readFileSync(new URL(file, root), 'utf8').matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(
      ([, name]) => [name ?? '', file] as const,
    ),
  );
  return recurring(declared).map(([name, places]) => `The type ${name} is exported by ${places.join(' and ')}.`);
}

function fileProblems(): string[] {
  const names = recurring(files.map((file) => [basename(file), file] as const));
  if (names.length <= MOST_RECURRING_FILES) return [];
  return names.map(([name, places]) => `${name} is the name of ${places.length} files: ${places.join(', ')}.`);
}

function commentProblems(): string[] {
  const folders = ['bench', 'bin', 'client', 'deploy', 'page', 'playground', 'scripts', 'server', 'test', 'words'];
  const sources = folders.flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
      .filter((file) => isSource(file) && /(?<!\/node_modules\/.*)\.(?:ts|tsx|js|mjs|css)$/.test(`/${file}`))
      .map((file) => `${folder}/${file}`),
  );
  return sources.flatMap((file) =>
    readFileSync(new URL(file, root), 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        const [, word] = /(?:^|[\s{])(?:\/\/|\/?\*\*?) (Of|What)\b/.exec(line) ?? [];
        if (word === undefined) return [];
        return `${file}:${index + 1}: a comment begins with "${word}". Write a sentence with a subject, such as "Closes the listener once the last request has been answered."`;
      }),
  );
}

/** The build compiles the client into `client/dist/`. */
function isSource(file: string): boolean {
  return !/^dist[./]/.test(file);
}

function recurring(pairs: (readonly [string, string])[]): [string, string[]][] {
  const byName = Map.groupBy(pairs, ([name]) => name);
  return [...byName]
    .filter(([, found]) => found.length > 1)
    .map(([name, found]) => [name, found.map(([, file]) => file)]);
}
