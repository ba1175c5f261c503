// Translates stacks of the bundle to places in the sources. Each map is read when a stack needs it: Node's
// --enable-source-maps reads all of them at the start, which takes a quarter of its time and 20 MB.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

/** @type {Map<string, SourceMap | null>} */
const maps = new Map();

/** @param {string} file A file URL. */
function mapOf(file) {
  const known = maps.get(file);
  if (known !== undefined) return known;
  let map = null;
  try {
    map = new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')));
  } catch {
    // A module of Node, or of a package beside the bundle, has no map.
  }
  maps.set(file, map);
  return map;
}

/** @param {string} frame One line of a stack, such as `startServer (file:///…/dist/chunks/main.js:12:3)`. */
function inSources(frame) {
  return frame.replace(/(file:\/\/\S+):(\d+):(\d+)/, (place, file, line, column) => {
    const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !('fileName' in origin)) return place;
    return `${new URL(origin.fileName, file)}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

/** @param {Error} error As Node does, by its name and message: a stack can be read whatever else the error has. */
function headOf(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

Error.prepareStackTrace = (error, frames) =>
  [headOf(error), ...frames.map((frame) => `    at ${inSources(String(frame))}`)].join('\n');
