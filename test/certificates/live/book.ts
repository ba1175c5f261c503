/** The orders of a CA, read from its requests and responses (RFC 8555 section 7). */
export interface Book {
  orders: readonly Order[];
  /** The step of an order that a request belongs to. */
  read(path: string, body: Buffer): Pick<Request, 'step' | 'hostname'>;
  ask(path: string, request: Request): void;
  answer(
    path: string,
    request: Request,
    answer: { status: number; headers: { location?: string | undefined }; body: Buffer },
  ): void;
}

export type Step =
  | 'directory'
  | 'nonce'
  | 'account'
  | 'new order'
  | 'order'
  | 'authorization'
  | 'challenge'
  | 'finalize'
  | 'certificate';

/** A request to the CA. */
export interface Request {
  step: Step;
  /** Null: it is about no name, or about one without an order. */
  hostname: string | null;
  /** Process id of the node; null: it was gone before its connection was found. */
  pid: number | null;
  /** Unix ms. */
  at: number;
}

/**
 * `asked`: before the CA gets it. `answered`: the CA has done it, before the node has the response. `told`: the
 * response was sent.
 */
export interface Moment extends Request {
  when: 'asked' | 'answered' | 'told';
}

/** An order as the CA has it. Times are Unix ms. */
export interface Order {
  hostname: string;
  /** The node that requested it; null as above. */
  pid: number | null;
  /** When it was requested. */
  askedAt: number;
  /** When it was first seen to be `valid` or `invalid`; null: it was not. */
  endedAt: number | null;
  end: 'valid' | 'invalid' | null;
  /** The later requests about it. */
  requests: Request[];
}

interface Place {
  step: Step;
  order: Order;
}

/** Pebble's own paths (its wfe.go). */
const FIXED: Record<string, Step> = {
  '/dir': 'directory',
  '/nonce-plz': 'nonce',
  '/sign-me-up': 'account',
  '/order-plz': 'new order',
};

export function createBook(): Book {
  const orders: Order[] = [];
  const places = new Map<string, Place>();
  const put = (url: unknown, place: Place) => typeof url === 'string' && places.set(new URL(url).pathname, place);

  /** Reads the URLs and the status of an order from a response. */
  function learn(order: Order, { status, authorizations = [], finalize, certificate, challenges = [] }: Resource) {
    for (const url of authorizations) put(url, { step: 'authorization', order });
    for (const { url } of challenges) put(url, { step: 'challenge', order });
    put(finalize, { step: 'finalize', order });
    put(certificate, { step: 'certificate', order });
    // An order fails with its authorization.
    const end = status === 'invalid' || (status === 'valid' && finalize !== undefined) ? status : null;
    if (end !== null && order.end === null) Object.assign(order, { end, endedAt: Date.now() });
  }

  return {
    orders,
    read(path, body) {
      const place = places.get(path);
      if (place !== undefined) return { step: place.step, hostname: place.order.hostname };
      const step = FIXED[path] ?? 'account';
      return { step, hostname: step === 'new order' ? hostnameIn(body) : null };
    },
    ask: (path, request) => void places.get(path)?.order.requests.push(request),
    answer(path, { step, hostname, pid, at }, { status, headers, body }) {
      if (status < 200 || status > 299) return;
      let order = places.get(path)?.order;
      if (step === 'new order' && hostname !== null) {
        order = { hostname, pid, askedAt: at, endedAt: null, end: null, requests: [] };
        orders.push(order);
        put(headers.location, { step: 'order', order });
      }
      if (order !== undefined && step !== 'certificate') learn(order, JSON.parse(body.toString()));
    },
  };
}

interface Resource {
  status?: string;
  authorizations?: string[];
  finalize?: string;
  certificate?: string;
  challenges?: { url: string }[];
}

/** The payload of a JWS (RFC 7515). */
function hostnameIn(body: Buffer): string | null {
  const { payload } = JSON.parse(body.toString()) as { payload: string };
  const { identifiers } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
    identifiers: { value: string }[];
  };
  return identifiers[0]?.value ?? null;
}
