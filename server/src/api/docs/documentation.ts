import type { FastifyInstance, FastifyReply } from 'fastify';
import { FINDING_CODES } from '../../domain/finding.ts';
import { type ErrorNaming, errorCodes } from '../errors.ts';
import { openApiDocument } from '../openapi/openapi.ts';
import type { ApiSettings } from '../operation.ts';
import { errorPagePath, renderErrorPage } from './error-pages.ts';
import { findingPagePath, renderFindingPage } from './finding-pages.ts';
import { CONTENT_SECURITY_POLICY } from './html.ts';
import { renderReference } from './reference.ts';

/**
 * Serves the OpenAPI document with the URL of this API, the reference page and the pages of errors and findings. They need no key. Most servers
 * are never asked for them: each is rendered when it is.
 */
export function serveDocumentation(app: FastifyInstance, naming: ErrorNaming & Pick<ApiSettings, 'publicUrl'>): void {
  const document = once(() => openApiDocument(naming.publicUrl));
  const openapi = once(() => `${JSON.stringify(document(), null, 2)}\n`);
  app.get('/openapi.json', { config: { operation: 'openapi' } }, (_request, reply) =>
    reply.type('application/json').send(openapi()),
  );

  const pages = new Map([['/docs', once(() => renderReference(document(), naming))]]);
  for (const code of errorCodes) pages.set(errorPagePath(code, naming.service), () => renderErrorPage(code, naming));
  for (const code of FINDING_CODES) pages.set(findingPagePath(code), () => renderFindingPage(code));
  for (const [path, render] of pages) {
    app.get(path, { config: { operation: 'docs' } }, (_request, reply) => sendPage(reply, render()));
  }
}

/** Makes a value when it is first asked for. */
function once<T extends object | string>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function sendPage(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('Content-Security-Policy', CONTENT_SECURITY_POLICY).send(text);
}
