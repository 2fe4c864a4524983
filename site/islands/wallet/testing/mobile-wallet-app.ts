import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import bs58 from 'bs58';
import { type WebSocket, WebSocketServer } from 'ws';
import { LEDGER_SEED_PREFIX } from '../../../../data/model/demo-wallets.ts';

const { subtle } = globalThis.crypto;
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const P256_POINT_BYTES = 65;
const ECDH = { name: 'ECDH', namedCurve: 'P-256' };
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' };
const AUTHORIZATION_FAILED = -1;
const NOT_SIGNED = -3;
/** The offset of the message in a transaction with one signer: a count of one byte and a signature of 64 bytes precede it. */
const MESSAGE_START = 65;

/** The key pair of a wallet on the embedded ledger, such as a demo wallet's. */
export function ledgerKey(name: string) {
  const seed = createHash('sha256')
    .update(LEDGER_SEED_PREFIX + name)
    .digest();
  const pkcs8 = Buffer.concat([PKCS8_PREFIX, seed]);
  const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  return { pkcs8, privateKey, publicKey, address: bs58.encode(publicKey) };
}

class RpcError extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`error ${code}`);
    this.code = code;
  }
}

type Params = Readonly<Record<string, unknown>> & {
  readonly payloads?: readonly string[];
  readonly auth_token?: string;
};

function signPayload(method: string, payload: string, key: KeyObject): string {
  const bytes = Buffer.from(payload, 'base64');
  if (method === 'sign_messages') return Buffer.concat([bytes, sign(null, bytes, key)]).toString('base64');
  sign(null, bytes.subarray(MESSAGE_START), key).copy(bytes, 1);
  return bytes.toString('base64');
}

/** Makes a page choose high ports. Linux gives lower ports to outgoing connections, so a lower port may be in use. */
export function chooseHighPorts(): void {
  const { random } = Math;
  Math.random = () => 0.75 + random() / 4;
}

/**
 * A wallet app written from the Mobile Wallet Adapter specification 2.0 (solana-mobile.github.io/mobile-wallet-adapter/spec).
 * Opens a WebSocket server on loopback for each association link that the page opens, and runs one session on it.
 */
export function createWalletApp(...names: readonly string[]) {
  let server: WebSocketServer | null = null;
  const tokens = new Set<string>();
  const app = {
    sharedNames: names,
    /** What the owner does with a request. With `loses`, the connection ends before the answer. */
    ownerBehavior: 'approves' as 'approves' | 'declines' | 'loses' | 'waits',
    features: ['solana:signTransactions'],
    calls: [] as string[],
    identity: null as unknown,
    chain: null as unknown,
    revoke: () => tokens.clear(),
    open,
    stop,
  };

  function stop(): void {
    for (const client of server?.clients ?? []) client.terminate();
    server?.close();
  }

  function authorize({ auth_token, identity, chain }: Params) {
    if (auth_token === undefined && app.ownerBehavior === 'declines')
      throw new RpcError(AUTHORIZATION_FAILED);
    if (auth_token !== undefined && !tokens.has(auth_token)) throw new RpcError(AUTHORIZATION_FAILED);
    Object.assign(app, { identity, chain });
    const token = auth_token ?? `token ${tokens.size}`;
    tokens.add(token);
    const accounts = app.sharedNames.map((name) => ({
      address: ledgerKey(name).publicKey.toString('base64'),
      display_address: ledgerKey(name).address,
      display_address_format: 'base58',
      label: name,
    }));
    return { auth_token: token, accounts };
  }

  /** Runs a method and returns its result. `isAuthorized`: whether the session is authorized. */
  function respond(method: string, params: Params, isAuthorized: boolean) {
    switch (method) {
      case 'get_capabilities':
        return {
          max_transactions_per_request: 1,
          supported_transaction_versions: ['legacy', 0],
          features: app.features,
        };
      case 'authorize':
        return authorize(params);
      case 'deauthorize':
        tokens.delete(params.auth_token ?? '');
        return {};
      case 'sign_messages':
      case 'sign_transactions': {
        if (!isAuthorized) throw new RpcError(AUTHORIZATION_FAILED);
        if (app.ownerBehavior === 'declines') throw new RpcError(NOT_SIGNED);
        const [name = ''] = app.sharedNames;
        const { privateKey } = ledgerKey(name);
        return {
          signed_payloads: params.payloads?.map((payload) => signPayload(method, payload, privateKey)),
        };
      }
      default:
        throw new RpcError(-32601);
    }
  }

  function serve(socket: WebSocket, associationKey: Uint8Array<ArrayBuffer>, sendsProperties: boolean): void {
    let sessionKey: CryptoKey | null = null;
    let [receivedCount, sentCount] = [0, 0];
    let isAuthorized = false;

    async function encrypt(key: CryptoKey, content: unknown): Promise<Buffer> {
      sentCount += 1;
      const additionalData = Buffer.alloc(4);
      additionalData.writeUInt32BE(sentCount);
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const plain = Buffer.from(JSON.stringify(content));
      const sealed = await subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, key, plain);
      return Buffer.concat([additionalData, iv, Buffer.from(sealed)]);
    }

    async function decrypt(key: CryptoKey, frame: Uint8Array<ArrayBuffer>) {
      const additionalData = frame.slice(0, 4);
      receivedCount += 1;
      if (new DataView(additionalData.buffer).getUint32(0) !== receivedCount)
        throw new Error('wrong sequence number');
      const iv = frame.slice(4, 16);
      const decrypted = await subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, key, frame.slice(16));
      return JSON.parse(Buffer.from(decrypted).toString());
    }

    /** Answers HELLO_REQ with HELLO_RSP. HELLO_REQ contains the page's ephemeral key, signed with the key from the link. */
    async function greet(request: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
      const pagePoint = request.slice(0, P256_POINT_BYTES);
      const linkKey = await subtle.importKey('raw', associationKey, ECDSA, false, ['verify']);
      const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
      if (!(await subtle.verify(algorithm, linkKey, request.slice(P256_POINT_BYTES), pagePoint)))
        throw new Error('not signed with the key of the link');
      const ownKeys = await subtle.generateKey(ECDH, false, ['deriveBits']);
      const pageKey = await subtle.importKey('raw', pagePoint, ECDH, false, []);
      const shared = await subtle.deriveBits({ name: 'ECDH', public: pageKey }, ownKeys.privateKey, 256);
      const derivation = { name: 'HKDF', hash: 'SHA-256', salt: associationKey, info: new Uint8Array() };
      const material = await subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey']);
      const aes = { name: 'AES-GCM', length: 128 };
      const key = await subtle.deriveKey(derivation, material, aes, false, ['encrypt', 'decrypt']);
      const point = Buffer.from(await subtle.exportKey('raw', ownKeys.publicKey));
      const properties = sendsProperties ? await encrypt(key, { v: '1' }) : Buffer.alloc(0);
      socket.send(Buffer.concat([point, properties]));
      return key;
    }

    async function handle(frame: Uint8Array<ArrayBuffer>): Promise<void> {
      if (!sessionKey) {
        sessionKey = await greet(frame);
        return;
      }
      const { id, method, params } = await decrypt(sessionKey, frame);
      app.calls.push(method);
      const asksOwner = method !== 'get_capabilities' && params.auth_token === undefined;
      if (asksOwner && app.ownerBehavior === 'waits') return;
      if (asksOwner && app.ownerBehavior === 'loses') {
        socket.terminate();
        return;
      }
      let response: object;
      try {
        response = { result: respond(method, params, isAuthorized) };
        if (method === 'authorize') isAuthorized = true;
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        response = { error: { code: error.code, message: error.message } };
      }
      socket.send(await encrypt(sessionKey, { jsonrpc: '2.0', id, ...response }));
    }

    let queue = Promise.resolve();
    socket.on('message', (data: Buffer) => {
      queue = queue.then(() => handle(Uint8Array.from(data))).catch(() => socket.close());
    });
  }

  async function open(link: string): Promise<void> {
    const { protocol, pathname, searchParams } = new URL(link);
    if (protocol !== 'solana-wallet:' || pathname !== '/v1/associate/local')
      throw new Error(`Not a local link: ${link}`);
    const token = (searchParams.get('association') ?? '').replace(/\.+$/, '');
    const associationKey = Uint8Array.from(Buffer.from(token, 'base64url'));
    stop();
    const newServer = new WebSocketServer({
      host: 'localhost',
      port: Number(searchParams.get('port')),
      path: '/solana-wallet',
      handleProtocols: (offered) =>
        offered.has('com.solana.mobilewalletadapter.v1') && 'com.solana.mobilewalletadapter.v1',
    });
    server = newServer;
    newServer.on('connection', (socket) => serve(socket, associationKey, searchParams.has('v')));
    await once(newServer, 'listening');
  }

  return app;
}
