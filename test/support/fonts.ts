import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPrograms, TOOLS } from './debian.ts';

/** Gives a browser the same fonts on every machine: those of the folders. Returns its `FONTCONFIG_FILE`. */
export async function writeFonts(directory: string, folders: string[]): Promise<string> {
  const file = join(directory, 'fonts.conf');
  await writeFile(file, configuration(folders, join(directory, 'fonts')));
  return file;
}

/** A folder with fonts for Japanese; the first time they are fetched, see `START_LIMIT_MS`. */
export async function japaneseFonts(): Promise<string> {
  await findPrograms('fonts-ja', ['fonts-ipafont-gothic']);
  return join(TOOLS, 'fonts-ja/usr/share/fonts');
}

const configuration = (folders: string[], cache: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  ${folders.map((folder) => (folder === '' ? '' : `<dir>${folder}</dir>`)).join('')}
  <cachedir>${cache}</cachedir>
  <alias binding="same"><family>system-ui</family><prefer><family>Inter</family></prefer></alias>
  <alias binding="same"><family>sans-serif</family><prefer><family>Inter</family></prefer></alias>
  <match target="pattern"><edit name="family" mode="append_last"><string>Inter</string></edit></match>
  <alias binding="same"><family>ui-monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;
