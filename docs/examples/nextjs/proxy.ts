import { type NextRequest, NextResponse } from 'next/server';
import { isFromEdge } from './nameplate';

/** Visitors of customers reach no route of the platform itself, and nobody reaches customers' sites around the edge. */
export function proxy({ headers, nextUrl }: NextRequest): NextResponse {
  const isOwn = ['/domains', '/webhooks/nameplate'].includes(nextUrl.pathname);
  if (isFromEdge(headers) !== isOwn) return NextResponse.next();
  return isOwn ? new NextResponse('Not found', { status: 404 }) : new NextResponse('Forbidden', { status: 403 });
}
