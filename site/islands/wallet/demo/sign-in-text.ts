import type { SolanaSignInInput } from '@solana/wallet-standard-features';

/** Fields that stand each on a line of its own, in the order of the text. */
const LINES = [
  ['URI', 'uri'],
  ['Version', 'version'],
  ['Chain ID', 'chainId'],
  ['Nonce', 'nonce'],
  ['Issued At', 'issuedAt'],
  ['Expiration Time', 'expirationTime'],
  ['Not Before', 'notBefore'],
  ['Request ID', 'requestId'],
] as const;

/** The text of Sign In With Solana, as wallets write it from a page's wishes (source: `siws.md` of Phantom). */
export function signInText(input: SolanaSignInInput, domain: string, address: string): string {
  const head = `${input.domain ?? domain} wants you to sign in with your Solana account:\n${address}`;
  const lines = LINES.flatMap(([label, field]) => {
    const value = input[field];
    return value === undefined ? [] : [`${label}: ${value}`];
  });
  if (input.resources) lines.push(['Resources:', ...input.resources.map((one) => `- ${one}`)].join('\n'));
  return [head, ...(input.statement === undefined ? [] : [input.statement]), lines.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}
