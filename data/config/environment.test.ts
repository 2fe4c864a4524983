import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMBEDDED_ADDRESSES, parseEnvironment } from './environment.ts';
import { rateLimits } from './rate-limits.ts';

const ADDRESS_VARIABLES = {
  BD_MINT: EMBEDDED_ADDRESSES.mint,
  BD_VAULT: EMBEDDED_ADDRESSES.vault,
  BD_STAKE_POOL: EMBEDDED_ADDRESSES.stakePool,
};

function findProblems(env: Record<string, string>) {
  const outcome = parseEnvironment(env);
  return outcome.ok ? [] : outcome.problems;
}
const wrongVariables = (env: Record<string, string>) => findProblems(env).map(({ variable }) => variable);

describe('the environment', () => {
  it('uses only embedded services by default', () => {
    expect(parseEnvironment({})).toMatchObject({
      ok: true,
      config: {
        port: 4000,
        host: '127.0.0.1',
        solana: { kind: 'embedded', ledgerPort: 8899, runsActors: true },
        addresses: EMBEDDED_ADDRESSES,
        market: { feeds: ['demo'], baseUrl: null },
        cards: { issuer: { kind: 'sandbox' }, fundingAddress: null, topUps: null },
        backup: { cronPattern: '17 3 * * *', folder: null, keep: 14 },
        documentRetentionDays: 90,
      },
    });
  });

  it('treats an empty variable as unset', () => {
    expect(parseEnvironment({ PORT: '', SOLANA_RPC_URLS: '' })).toEqual(parseEnvironment({}));
  });

  it('is rejected with the names of all wrong variables', () => {
    const wrong = wrongVariables({
      PORT: 'four thousand',
      SOLANA_RPC_URLS: 'https://a.example.com, ftp://b',
      BD_MINT: 'not-a-key',
      BD_VAULT: EMBEDDED_ADDRESSES.vault,
      HELIUS_API_KEY: '!',
      LOG_LEVEL: 'loud',
    });
    expect(wrong.toSorted()).toEqual([
      'BD_MINT',
      'BD_STAKE_POOL',
      'HELIUS_API_KEY',
      'LOG_LEVEL',
      'PORT',
      'SOLANA_RPC_URLS',
    ]);
  });

  it('is rejected with instructions that never repeat a value, because it may be secret', () => {
    const secret = 'key!with!secret';
    const problems = findProblems({ HELIUS_API_KEY: secret, SOLANA_RPC_URLS: `ftp://host/${secret}` });
    expect(problems.length).toBeGreaterThan(1);
    for (const { message } of problems) {
      expect(message).not.toContain(secret);
      expect(message).toMatch(/\. (Set|Write|Use|Copy|Separate)|needed with/);
    }
  });

  it.each([' ', '0x10', '1e3', '+80', '80 '])('refuses %j as a port', (text) => {
    expect(wrongVariables({ PORT: text })).toEqual(['PORT']);
  });

  it('accepts exactly the whole numbers from 0 to 65535 as ports', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: -10, max: 70_000 }), fc.double({ noNaN: true })), (port) => {
        const valid = Number.isInteger(port) && port >= 0 && port <= 65_535;
        expect(parseEnvironment({ PORT: String(port) }).ok).toBe(valid);
      }),
    );
  });

  it.each([
    ['demo', ['demo']],
    ['dexscreener', ['dexscreener', 'jupiter']],
    ['jupiter', ['jupiter', 'dexscreener']],
    ['dexscreener,jupiter', ['dexscreener', 'jupiter']],
    [' jupiter , dexscreener ', ['jupiter', 'dexscreener']],
  ])('reads the market feeds %j in order, and adds the other real feed as a fallback', (text, feeds) => {
    expect(parseEnvironment({ MARKET_FEED: text })).toMatchObject({ config: { market: { feeds } } });
  });

  it.each<[string, string]>([
    ['MARKET_FEED', 'demo,jupiter'],
    ['MARKET_FEED', 'dexscreener,demo'],
    ['MARKET_FEED', 'demo,demo'],
    ['MARKET_FEED', 'dexscreener,dexscreener'],
    ['MARKET_FEED', 'coingecko'],
    ['MARKET_FEED', 'jupiter,'],
    ['MARKET_FEED', 'Demo'],
    ['BACKUP_CRON', 'daily'],
    ['BACKUP_CRON', '* * * * * *'],
    ['BACKUP_CRON', '61 3 * * *'],
    ['BACKUP_KEEP', '0'],
    ['BACKUP_KEEP', '1001'],
    ['DOCUMENT_RETENTION_DAYS', '0'],
    ['DISK_RESERVE_MB', '-1'],
    ['DISK_RESERVE_MB', '1 GB'],
    ['DOCUMENT_RETENTION_DAYS', '91'],
    ['DOCUMENT_RETENTION_DAYS', '1.5'],
    ['RATE_LIMITS', 'submission=20'],
    ['RATE_LIMITS', 'submissions'],
    ['RATE_LIMITS', 'submissions='],
    ['RATE_LIMITS', 'submissions=0'],
    ['RATE_LIMITS', 'submissions=1e2'],
    ['RATE_LIMITS', 'submissions=1000001'],
    ['RATE_LIMITS', 'submissions=5=6'],
    ['RATE_LIMITS', 'submissions=5,submissions=6'],
    ['RATE_LIMITS', 'submissions=5,'],
    ['RATE_LIMITS', '__proto__=5'],
    ...[
      'proxy.example.com',
      '10.0.0.0/33',
      '2001:db8::/129',
      '0.0.0.0/0',
      '::/0',
      '10.0.0',
      '127.0.0.1,',
      'loopback',
    ].map((text): [string, string] => ['TRUSTED_PROXIES', text]),
    ['METRICS_PORT', '65536'],
    ['METRICS_HOST', '127.0.0.1'],
    ['METRICS_TOKEN', 'a'.repeat(31)],
    ['METRICS_TOKEN', `${'a'.repeat(40)} b`],
  ])('refuses %s=%s', (variable, value) => {
    expect(wrongVariables({ [variable]: value })).toEqual([variable]);
  });

  it.each([
    ['a local portal trusts those on this machine', {}, ['127.0.0.0/8', '::1']],
    [
      'a portal with a local origin trusts those on this machine',
      { PUBLIC_ORIGIN: 'http://localhost:4000' },
      ['127.0.0.0/8', '::1'],
    ],
    ['a public portal trusts none', { PUBLIC_ORIGIN: 'https://portal.example.com' }, []],
    [
      'TRUSTED_PROXIES replaces the default',
      { TRUSTED_PROXIES: '10.1.2.3, 172.16.0.0/12,2001:db8::/32' },
      ['10.1.2.3', '172.16.0.0/12', '2001:db8::/32'],
    ],
  ])('decides which proxies are trusted: %s', (_case, env, trustedProxies) => {
    expect(parseEnvironment(env)).toMatchObject({ config: { trustedProxies } });
  });

  it('reads the token, host and port of the metrics', () => {
    const token = 'R2vYx0cWm4uT8Qw1zKp6Jb3Nf5Hs7Ld9AeGiUoPyX1E=';
    const METRICS = { METRICS_PORT: '9464', METRICS_HOST: '::1', METRICS_TOKEN: token };
    expect(parseEnvironment(METRICS)).toMatchObject({
      config: { metrics: { token, listener: { host: '::1', port: 9_464 } } },
    });
    expect(parseEnvironment({})).toMatchObject({ config: { metrics: { token: null, listener: null } } });
  });

  const CLUSTER = { SOLANA_RPC_URLS: 'https://rpc.example.com' };
  it.each<[string, Record<string, string>, string[]]>([
    ['a cluster without addresses', CLUSTER, ['BD_MINT', 'BD_VAULT', 'BD_STAKE_POOL']],
    ['a Helius key without endpoints', { HELIUS_API_KEY: 'a-helius-key' }, ['HELIUS_API_KEY']],
    [
      'a username in a URL',
      { ...ADDRESS_VARIABLES, SOLANA_RPC_URLS: 'https://me:secret@rpc.example.com' },
      ['SOLANA_RPC_URLS'],
    ],
    ['a market host for the demo feed', { MARKET_BASE_URL: 'http://127.0.0.1:9' }, ['MARKET_BASE_URL']],
    ['a ledger on the last port: its websockets use the next', { LEDGER_PORT: '65535' }, ['LEDGER_PORT']],
  ])('refuses %s', (_case, env, wrong) => {
    expect(wrongVariables(env)).toEqual(wrong);
  });

  it('accepts a cluster with its addresses, and a market host with a real feed', () => {
    expect(wrongVariables({ ...CLUSTER, ...ADDRESS_VARIABLES, LEDGER_PORT: '65534' })).toEqual([]);
    const baseUrl = 'http://127.0.0.1:9';
    expect(parseEnvironment({ MARKET_FEED: 'jupiter', MARKET_BASE_URL: baseUrl })).toMatchObject({
      config: { market: { baseUrl } },
    });
  });

  it('cannot be changed after it is read', () => {
    const outcome = parseEnvironment({});
    if (!outcome.ok) throw new Error('The defaults are invalid.');
    expect(Object.isFrozen(outcome.config)).toBe(true);
    expect(Object.isFrozen(outcome.config.solana)).toBe(true);
  });
});

describe('the variables for storage and limits', () => {
  it('set the schedule, folder and number of backups, or turn backups off', () => {
    const env = { BACKUP_CRON: '0 * * * *', BACKUP_DIR: '/backups', BACKUP_KEEP: '48' };
    expect(parseEnvironment(env)).toMatchObject({
      config: { backup: { cronPattern: '0 * * * *', folder: '/backups', keep: 48 } },
    });
    expect(parseEnvironment({ BACKUP_CRON: 'off' })).toMatchObject({
      config: { backup: { cronPattern: null } },
    });
  });

  const RECIPIENT = `age1${'q'.repeat(58)}`;
  const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  const BUCKET = {
    BACKUP_RECIPIENT: RECIPIENT,
    BACKUP_S3_URL: 'https://s3.example.com/bucket',
    ...KEYS,
  };

  it('can send copies of backups to a bucket, or to a command', () => {
    const keys = { accessKeyId: 'id', secretAccessKey: 'secret' };
    const bucketUrl = BUCKET.BACKUP_S3_URL;
    const target = { kind: 's3', bucketUrl, region: 'us-east-1', prefix: '', keep: 14, ...keys };
    expect(parseEnvironment(BUCKET)).toMatchObject({
      config: { backup: { remote: { recipients: [RECIPIENT], target } } },
    });
    const more = { BACKUP_S3_PREFIX: 'portal/one', BACKUP_S3_KEEP: 'off' };
    expect(parseEnvironment({ ...BUCKET, ...more })).toMatchObject({
      config: { backup: { remote: { target: { prefix: 'portal/one/', keep: null } } } },
    });
    const BACKUP_COMMAND = '/usr/local/bin/send  --to host';
    expect(parseEnvironment({ BACKUP_RECIPIENT: RECIPIENT, BACKUP_COMMAND })).toMatchObject({
      config: {
        backup: {
          remote: {
            target: { program: '/usr/local/bin/send', args: ['--to', 'host'], timeoutMs: 3_600_000 },
          },
        },
      },
    });
    expect(parseEnvironment(KEYS)).toMatchObject({ config: { backup: { remote: null } } });
  });

  it.each<[string, string]>([
    ['BACKUP_RECIPIENT', 'ssh-ed25519 AAAA'],
    ['BACKUP_RECIPIENT', 'AGE-SECRET-KEY-1QQQQ'],
    ['BACKUP_S3_URL', 's3://bucket'],
    ['BACKUP_S3_URL', 'https://s3.example.com/bucket/folder'],
    ['BACKUP_S3_URL', 'https://key:secret@s3.example.com/bucket'],
    ['BACKUP_S3_PREFIX', '/portal'],
    ['BACKUP_S3_KEEP', '0'],
  ])('do not allow %s=%s for copies of backups', (variable, value) => {
    expect(new Set(wrongVariables({ ...BUCKET, [variable]: value }))).toEqual(new Set([variable]));
  });

  it.each(['rclone copyto | cat', ' ', 'sh -c "x"'])(
    'do not allow %j as the command, which runs without a shell',
    (text) => {
      const env = { BACKUP_RECIPIENT: RECIPIENT, BACKUP_COMMAND: text };
      expect(wrongVariables(env)).toEqual(['BACKUP_COMMAND']);
    },
  );

  it.each<[string, Record<string, string>]>([
    ['BACKUP_RECIPIENT', { BACKUP_S3_URL: BUCKET.BACKUP_S3_URL, ...KEYS }],
    ['BACKUP_RECIPIENT', { BACKUP_COMMAND: 'send' }],
    ['BACKUP_RECIPIENT', { BACKUP_RECIPIENT: RECIPIENT }],
    ['BACKUP_COMMAND', { ...BUCKET, BACKUP_COMMAND: 'send' }],
    ['BACKUP_S3_KEEP', { BACKUP_S3_KEEP: '3' }],
    ['BACKUP_COMMAND_MINUTES', { BACKUP_COMMAND_MINUTES: '3' }],
    ['AWS_SECRET_ACCESS_KEY', { ...BUCKET, AWS_SECRET_ACCESS_KEY: '' }],
  ])('are refused because of %s if they are incomplete or contradictory: %j', (variable, env) => {
    expect(wrongVariables(env)).toEqual([variable]);
  });

  it('can shorten the time for which documents are kept', () => {
    for (const days of [30, 90]) {
      expect(parseEnvironment({ DOCUMENT_RETENTION_DAYS: String(days) })).toMatchObject({
        config: { documentRetentionDays: days },
      });
    }
  });

  it('replace the rate limits that they name', () => {
    const defaults = rateLimits();
    expect(parseEnvironment({})).toMatchObject({ config: { rateLimits: defaults } });
    expect(parseEnvironment({ RATE_LIMITS: 'submissions=20, admin-logins = 60' })).toMatchObject({
      config: { rateLimits: { ...defaults, submissions: 20, 'admin-logins': 60 } },
    });
  });
});

describe('the variables for cards', () => {
  const STRIPE = {
    CARD_ISSUER: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
    STRIPE_BILLING_ADDRESS: '1 Example Street; London ;EC1A 1AA;GB',
  };

  it('require an explicit issuer in production', () => {
    expect(wrongVariables({ NODE_ENV: 'production' })).toEqual(['CARD_ISSUER']);
    expect(wrongVariables({ NODE_ENV: 'production', CARD_ISSUER: 'sandbox' })).toEqual([]);
  });

  it('accept Stripe with its keys and billing address', () => {
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
    expect(wrongVariables({ CARD_ISSUER: 'stripe' })).toEqual([
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
      'STRIPE_BILLING_ADDRESS',
    ]);
  });

  it.each(['sk_live', 'rk_live'])(
    'refuse real cards (%s) on the embedded ledger or an unencrypted origin',
    (kind) => {
      const live = { ...STRIPE, STRIPE_SECRET_KEY: `${kind}_0123456789abcdef` };
      expect(wrongVariables(live)).toEqual(['STRIPE_SECRET_KEY']);
      const real = { ...live, ...ADDRESS_VARIABLES, SOLANA_RPC_URLS: 'https://a.example' };
      expect(wrongVariables(real)).toEqual([]);
      expect(wrongVariables(STRIPE)).toEqual([]);
      const wrongVariablesAt = (origin: string) => wrongVariables({ ...real, PUBLIC_ORIGIN: origin });
      expect(wrongVariablesAt('http://portal.example.com')).toEqual(['PUBLIC_ORIGIN']);
      expect(
        wrongVariablesAt('http://localhost:4000').concat(wrongVariablesAt('https://portal.example.com')),
      ).toEqual([]);
    },
  );

  it.each([
    ['CARD_ISSUER', { CARD_ISSUER: 'visa' }],
    ['STRIPE_SECRET_KEY', { ...STRIPE, STRIPE_SECRET_KEY: 'pk_live_0123456789abcdef' }],
    ['STRIPE_WEBHOOK_SECRET', { ...STRIPE, STRIPE_WEBHOOK_SECRET: 'sk_live_0123456789abcdef' }],
    ['STRIPE_BILLING_ADDRESS', { ...STRIPE, STRIPE_BILLING_ADDRESS: '1 Example Street; London; EC1A 1AA' }],
    ['STRIPE_API_BASE', { ...STRIPE, STRIPE_API_BASE: 'http://stripe.example.com' }],
    ['STRIPE_API_BASE', { ...STRIPE, STRIPE_API_BASE: 'https://stripe.example.com/v1' }],
    ['STRIPE_SECRET_KEY', { STRIPE_SECRET_KEY: STRIPE.STRIPE_SECRET_KEY }],
    ['CARD_FUNDING_ADDRESS', { CARD_FUNDING_ADDRESS: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD' }],
  ])('are refused if %s is wrong, as in %j, without repeating a value', (variable, env) => {
    expect(wrongVariables(env)).toEqual([variable]);
    expect(JSON.stringify(findProblems(env))).not.toMatch(/0123456789abcdef|5aAeb/);
  });
});

describe('the funding address', () => {
  const isAccepted = (address: string) => parseEnvironment({ CARD_FUNDING_ADDRESS: address }).ok;
  // The test cases of https://eips.ethereum.org/EIPS/eip-55.
  const PUBLISHED = [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ];

  it('is accepted with its checksum, and refused if the case of a letter or the value of a digit changes', () => {
    expect(PUBLISHED.filter(isAccepted)).toEqual(PUBLISHED);
    fc.assert(
      fc.property(
        fc.constantFrom(...PUBLISHED),
        fc.integer({ min: 2, max: 41 }),
        fc.constantFrom(...'0123456789abcdefABCDEF'),
        (address, index, digit) => {
          const changed = address.slice(0, index) + digit + address.slice(index + 1);
          expect(isAccepted(changed)).toBe(changed === address);
        },
      ),
    );
  });

  const [PLAIN = ''] = PUBLISHED;
  it.each([
    PLAIN.toLowerCase(),
    `0x${PLAIN.slice(2).toUpperCase()}`,
    '0x',
    PLAIN.slice(2),
    `${PLAIN}0`,
    `0X${'0'.repeat(40)}`,
  ])('is refused unless it has a checksum, the prefix 0x and exactly forty digits: %s', (text) => {
    expect(isAccepted(text)).toBe(false);
  });
});
