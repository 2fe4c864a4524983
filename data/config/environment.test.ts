import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMBEDDED_ADDRESSES } from './embedded.ts';
import { parseEnvironment } from './environment.ts';

const ADDRESSES = {
  BD_MINT: EMBEDDED_ADDRESSES.mint,
  BD_VAULT: EMBEDDED_ADDRESSES.vault,
  BD_STAKE_POOL: EMBEDDED_ADDRESSES.stakePool,
};

function faultsOf(env: Record<string, string>) {
  const outcome = parseEnvironment(env);
  return outcome.ok ? [] : outcome.faults;
}

describe('the environment', () => {
  it('runs everything on embedded parts when nothing is set', () => {
    const outcome = parseEnvironment({});
    expect(outcome).toMatchObject({
      ok: true,
      config: {
        port: 4000,
        host: '127.0.0.1',
        solana: { kind: 'embedded', ledgerPort: 8899, actors: true },
        addresses: EMBEDDED_ADDRESSES,
        market: { feeds: ['demo'], baseUrl: null },
      },
    });
  });

  it('takes an empty variable as unset', () => {
    expect(parseEnvironment({ PORT: '', SOLANA_RPC_URLS: '' })).toEqual(parseEnvironment({}));
  });

  it('names every wrong variable at once', () => {
    const faults = faultsOf({
      PORT: 'four thousand',
      SOLANA_RPC_URLS: 'https://a.example.com, ftp://b',
      BD_MINT: 'not-a-key',
      BD_VAULT: EMBEDDED_ADDRESSES.vault,
      HELIUS_API_KEY: '!',
      LOG_LEVEL: 'loud',
    });
    expect(faults.map((fault) => fault.variable).toSorted()).toEqual([
      'BD_MINT',
      'BD_STAKE_POOL',
      'HELIUS_API_KEY',
      'LOG_LEVEL',
      'PORT',
      'SOLANA_RPC_URLS',
    ]);
  });

  it('says what to do and never echoes a value, which may be a secret', () => {
    const secret = 'key!with!secret';
    const faults = faultsOf({ HELIUS_API_KEY: secret, SOLANA_RPC_URLS: `ftp://host/${secret}` });
    expect(faults.map((fault) => fault.variable)).toEqual(
      expect.arrayContaining(['HELIUS_API_KEY', 'SOLANA_RPC_URLS']),
    );
    for (const { fault } of faults) {
      expect(fault).not.toContain(secret);
      expect(fault).toMatch(/\. (Set|Write|Use|Copy|Separate)|needed with/);
    }
  });

  it('asks for the addresses when a cluster is followed, since the defaults belong to the embedded ledger', () => {
    const faults = faultsOf({ SOLANA_RPC_URLS: 'https://rpc.example.com' });
    expect(faults.map((fault) => fault.variable)).toEqual(['BD_MINT', 'BD_VAULT', 'BD_STAKE_POOL']);
  });

  it.each([' ', '0x10', '1e3', '+80', '80 ', '-1', '70000'])('takes %j for no port', (text) => {
    expect(faultsOf({ PORT: text }).map((fault) => fault.variable)).toEqual(['PORT']);
  });

  it('leaves room for the websockets on the port after the ledger’s', () => {
    expect(faultsOf({ LEDGER_PORT: '65534' })).toEqual([]);
    expect(faultsOf({ LEDGER_PORT: '65535' }).map((fault) => fault.variable)).toEqual(['LEDGER_PORT']);
  });

  it('refuses a Helius key without endpoints, which would be ignored in silence', () => {
    expect(faultsOf({ HELIUS_API_KEY: 'a-helius-key' }).map((fault) => fault.variable)).toEqual([
      'HELIUS_API_KEY',
    ]);
  });

  it('refuses a user in a URL, since no request can be sent there', () => {
    const env = { ...ADDRESSES, SOLANA_RPC_URLS: 'https://me:secret@rpc.example.com' };
    expect(faultsOf(env).map((fault) => fault.variable)).toEqual(['SOLANA_RPC_URLS']);
  });

  it.each([
    ['demo', ['demo']],
    ['dexscreener', ['dexscreener', 'jupiter']],
    ['jupiter', ['jupiter', 'dexscreener']],
    ['dexscreener,jupiter', ['dexscreener', 'jupiter']],
    [' jupiter , dexscreener ', ['jupiter', 'dexscreener']],
  ])('asks the market feeds of %j in order, the other real one after a single one', (text, feeds) => {
    expect(parseEnvironment({ MARKET_FEED: text })).toMatchObject({ config: { market: { feeds } } });
  });

  it.each([
    'demo,jupiter',
    'dexscreener,demo',
    'demo,demo',
    'dexscreener,dexscreener',
    'coingecko',
    'jupiter,',
    'Demo',
    ',',
  ])('takes %j for no market feed: the made-up one never stands beside a real one', (text) => {
    expect(faultsOf({ MARKET_FEED: text }).map((fault) => fault.variable)).toEqual(['MARKET_FEED']);
  });

  it('refuses a market host that would be asked by no feed', () => {
    const baseUrl = 'http://127.0.0.1:9';
    expect(faultsOf({ MARKET_BASE_URL: baseUrl }).map((fault) => fault.variable)).toEqual([
      'MARKET_BASE_URL',
    ]);
    expect(parseEnvironment({ MARKET_FEED: 'jupiter', MARKET_BASE_URL: baseUrl })).toMatchObject({
      config: { market: { baseUrl } },
    });
  });

  it('takes exactly the whole numbers from 0 to 65535 as ports', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: -10, max: 70_000 }), fc.double({ noNaN: true })), (port) => {
        const valid = Number.isInteger(port) && port >= 0 && port <= 65_535;
        expect(parseEnvironment({ PORT: String(port) }).ok).toBe(valid);
      }),
    );
  });

  const STRIPE = {
    CARD_ISSUER: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
    STRIPE_BILLING_ADDRESS: '1 Example Street; London ;EC1A 1AA;GB',
  };

  it('makes test cards unless an issuer is named, and asks for the name in production', () => {
    const sandbox = { cards: { issuer: { kind: 'sandbox' }, fundingAddress: null } };
    expect(parseEnvironment({})).toMatchObject({ config: sandbox });
    expect(parseEnvironment({ NODE_ENV: 'production', CARD_ISSUER: 'sandbox' })).toMatchObject({
      config: sandbox,
    });
    const [fault, ...others] = faultsOf({ NODE_ENV: 'production' });
    expect(others).toEqual([]);
    expect(fault).toMatchObject({
      variable: 'CARD_ISSUER',
      fault: expect.stringContaining('Set CARD_ISSUER=stripe'),
    });
  });

  it('takes Stripe with its keys and the address of the cardholders', () => {
    expect(parseEnvironment({ ...STRIPE, STRIPE_API_BASE: 'http://127.0.0.1:9' })).toMatchObject({
      config: {
        cards: {
          issuer: {
            kind: 'stripe',
            apiBase: 'http://127.0.0.1:9',
            billingAddress: {
              line1: '1 Example Street',
              city: 'London',
              postalCode: 'EC1A 1AA',
              country: 'GB',
              state: null,
            },
          },
        },
      },
    });
    expect(faultsOf({ CARD_ISSUER: 'stripe' }).map(({ variable }) => variable)).toEqual([
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
      'STRIPE_BILLING_ADDRESS',
    ]);
  });

  it.each(['sk_live', 'rk_live'])('makes no real cards (%s) for stakes of the embedded ledger', (kind) => {
    const live = { ...STRIPE, STRIPE_SECRET_KEY: `${kind}_0123456789abcdef` };
    expect(faultsOf(live)).toEqual([
      { variable: 'STRIPE_SECRET_KEY', fault: expect.stringContaining('SOLANA_RPC_URLS') },
    ]);
    const address = '11111111111111111111111111111111';
    const cluster = { SOLANA_RPC_URLS: 'https://a.example', BD_MINT: address, BD_VAULT: address };
    const real = { ...live, ...cluster, BD_STAKE_POOL: address };
    expect(parseEnvironment(real).ok).toBe(true);
    expect(parseEnvironment(STRIPE).ok).toBe(true);
    // Nor tells their numbers in the clear.
    const at = (origin: string) =>
      faultsOf({ ...real, PUBLIC_ORIGIN: origin }).map(({ variable }) => variable);
    expect(at('http://portal.example.com')).toEqual(['PUBLIC_ORIGIN']);
    expect(at('http://localhost:4000').concat(at('https://portal.example.com'))).toEqual([]);
  });

  it.each([
    ['CARD_ISSUER', { CARD_ISSUER: 'visa' }],
    ['STRIPE_SECRET_KEY', { ...STRIPE, STRIPE_SECRET_KEY: 'pk_live_0123456789abcdef' }],
    ['STRIPE_WEBHOOK_SECRET', { ...STRIPE, STRIPE_WEBHOOK_SECRET: 'sk_live_0123456789abcdef' }],
    ['STRIPE_BILLING_ADDRESS', { ...STRIPE, STRIPE_BILLING_ADDRESS: '1 Example Street; London; EC1A 1AA' }],
    ['STRIPE_API_BASE', { ...STRIPE, STRIPE_API_BASE: 'http://stripe.example.com' }],
    ['STRIPE_API_BASE', { ...STRIPE, STRIPE_API_BASE: 'https://stripe.example.com/v1' }],
    ['STRIPE_SECRET_KEY', { STRIPE_SECRET_KEY: STRIPE.STRIPE_SECRET_KEY }],
    ['CARD_FUNDING_ADDRESS', { CARD_FUNDING_ADDRESS: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD' }],
  ])('finds %s wrong in %j, and echoes nothing of it', (variable, env) => {
    const faults = faultsOf(env);
    expect(faults.map((fault) => fault.variable)).toEqual([variable]);
    for (const { fault } of faults) expect(fault).not.toMatch(/0123456789abcdef|5aAeb/);
  });

  it('cannot be changed once read', () => {
    const outcome = parseEnvironment({});
    if (!outcome.ok) throw new Error('the default configuration must be right');
    expect(Object.isFrozen(outcome.config)).toBe(true);
    expect(Object.isFrozen(outcome.config.solana)).toBe(true);
  });
});
