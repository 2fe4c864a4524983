import type { IncomingMessage } from 'node:http';
import type { ChainName } from '../../data/contract/provenance.ts';
import type { ExpectedSignIn } from '../../data/model/sign-in-message.ts';

/** What the wallet shows to whoever signs. */
const STATEMENT =
  'Sign in to the BlackDuck portal. This only proves that the wallet is yours: it moves no tokens and costs nothing.';

/** Names of the chains as Sign In With Solana has them. */
const CHAIN_IDS: Readonly<Record<ChainName, string>> = { solana: 'mainnet', 'embedded-ledger': 'localnet' };

const OWN_NAME = /^(localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/**
 * Where the page that asks is. Without a public origin it is this machine, by the one of its own names that the browser
 * uses; any other host that a request names is no witness.
 */
function ownOrigin(publicOrigin: string | null, request: IncomingMessage): URL {
  if (publicOrigin !== null) return new URL(publicOrigin);
  const [, host = 'localhost'] = OWN_NAME.exec(request.headers.host ?? '') ?? [];
  return new URL(`http://${host}:${request.socket.localPort}`);
}

/** What a message has to say that is signed for this portal: all but who signs it and when. */
export type SignInTerms = (request: IncomingMessage) => Omit<ExpectedSignIn, 'address'>;

export function signInTerms(publicOrigin: string | null, chain: ChainName): SignInTerms {
  return (request) => {
    const { host, origin } = ownOrigin(publicOrigin, request);
    return { domain: host, uri: origin, statement: STATEMENT, chainId: CHAIN_IDS[chain] };
  };
}
