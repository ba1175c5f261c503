/** What is known of a CA's orders from what was asked of it, and answered (RFC 8555 section 7). */
export interface Book {
  orders: readonly Order[];
  /** What a request asks for. */
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

/** What was asked of the CA. */
export interface Request {
  step: Step;
  /** Null: it is about no name, or about one that nobody has ordered for. */
  hostname: string | null;
  /** Of the node; null: it was gone already when its connection came to be known. */
  pid: number | null;
  /** Unix ms. */
  at: number;
}

/** `asked`: the CA knows nothing of it yet. `answered`: it has done it, and the node does not know. `told`: the answer was sent off. */
export interface Moment extends Request {
  when: 'asked' | 'answered' | 'told';
}

/** An order as the CA has it. Times are Unix ms. */
export interface Order {
  hostname: string;
  /** The node that asked for it; null as above. */
  pid: number | null;
  /** When it was asked for. */
  askedAt: number;
  /** When it was first seen to be `valid` or `invalid`; null: it was not. */
  endedAt: number | null;
  end: 'valid' | 'invalid' | null;
  /** What was asked about it afterwards. */
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

  /** What an answer says of an order: where its parts are, and how it stands. */
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
