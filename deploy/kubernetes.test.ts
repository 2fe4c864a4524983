import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts';
import type { ConfigMap, Container, PodSpec, Service } from 'kubernetes-types/core/v1.d.ts';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { API_MEMORY_FLAGS } from '../api/memory-flags.ts';
import { parseEnvironment, VARIABLE_NAMES } from '../data/config/environment.ts';
import { MIGRATION_TIMEOUT_MS } from '../data/runtime/shutdown.ts';
import { INDEXER_MEMORY_FLAGS } from '../indexer/memory-flags.ts';
import { CADDY_VARIABLES, OPERATOR_SETTINGS, readShipped } from './testing/settings.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const manifests: readonly Manifest[] = globSync('kubernetes/*.yaml', { cwd: 'deploy' })
  .toSorted()
  .flatMap((file) => parseAllDocuments(readShipped(file)).map((document) => document.toJS()));

const ofKind = <Kind>(kind: string) =>
  manifests.filter((manifest) => manifest.kind === kind) as unknown as readonly Kind[];

/** The module that declares the types of each API version. */
const MODULES: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'policy/v1': 'policy/v1',
  'networking.k8s.io/v1': 'networking/v1',
};

/** Type-checks manifests, which also finds fields that Kubernetes does not know. @returns the errors, one per line */
function typeErrors(checked: readonly Manifest[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
  try {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    const lines = checked.map(
      (manifest, index) =>
        `export const m${index}: import('kubernetes-types/${MODULES[manifest.apiVersion]}.d.ts').${manifest.kind} = ${JSON.stringify(manifest)};`,
    );
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext'];
    const resolution = ['--moduleResolution', 'bundler', '--types', '', '--allowImportingTsExtensions'];
    const compiler = resolve('node_modules/typescript7/bin/tsc');
    const args = [compiler, ...options, ...resolution, 'manifests.ts'];
    return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const deployments = ofKind<Deployment>('Deployment').map((deployment) => {
  const name = deployment.metadata?.name ?? '';
  const pod = deployment.spec?.template.spec as PodSpec;
  return { name, deployment, pod, container: pod.containers[0] as Container };
});

describe('the Kubernetes manifests', () => {
  it('match the Kubernetes types, without unknown fields', () => {
    const [first] = manifests;
    // The unknown field of this manifest must be the only error.
    const wrong = { ...first, speck: {} } as unknown as Manifest;
    const errors = typeErrors([...manifests, wrong])
      .trimEnd()
      .split('\n');
    expect(errors).toEqual([expect.stringContaining('"speck"')]);
  });

  it('are in the namespace, and contain every deployment and no secrets', () => {
    const others = manifests.filter(({ kind }) => kind !== 'Namespace');
    expect(new Set(others.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['blackduck']));
    expect(deployments.map(({ name }) => name)).toEqual(['api', 'caddy', 'indexer']);
    // The operator creates the secrets; the manifests only refer to them.
    expect(ofKind('Secret')).toEqual([]);
  });

  it('have settings that the portal accepts', () => {
    const settings = ofKind<ConfigMap>('ConfigMap')[0]?.data ?? {};
    expect(Object.keys(settings).filter((key) => !VARIABLE_NAMES.includes(key))).toEqual([]);
    const database = { DATABASE_URL: 'postgres://portal:password@db.example.com/portal' };
    const outcome = parseEnvironment({ ...OPERATOR_SETTINGS, ...database, ...settings });
    expect(outcome.ok ? [] : outcome.problems).toEqual([]);
  });

  it.each(deployments)(
    'let $name restart without a gap, and survive the loss of a node',
    ({ name, deployment }) => {
      const { replicas = 1, strategy, selector, template } = deployment.spec ?? {};
      expect(strategy?.rollingUpdate).toEqual({ maxSurge: name === 'api' ? '100%' : 1, maxUnavailable: 0 });
      expect(selector?.matchLabels).toEqual(template?.metadata?.labels);
      const budgets = ofKind<PodDisruptionBudget>('PodDisruptionBudget');
      const budget = budgets.find(({ spec }) => spec?.selector?.matchLabels?.app === name);
      expect(Number(budget?.spec?.minAvailable)).toBe(replicas - 1);
      expect(replicas).toBeGreaterThan(1);
    },
  );

  it.each(deployments)(
    'let $name run without root, a writable root file system or unneeded capabilities',
    ({ name, pod, container }) => {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.automountServiceAccountToken).toBe(false);
      const { capabilities, ...security } = container.securityContext ?? {};
      expect(security).toEqual({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
      expect(capabilities?.drop).toEqual(['ALL']);
      expect(capabilities?.add ?? []).toEqual(name === 'caddy' ? ['NET_BIND_SERVICE'] : []);
      expect(container.resources?.limits?.memory).toBeDefined();
    },
  );

  it('start the programs with the flags of npm start, and give Caddy only variables that it reads', () => {
    const containerOf = (deploymentName: string) =>
      deployments.find(({ name }) => name === deploymentName)?.container;
    expect(containerOf('api')?.command).toEqual(['node', ...API_MEMORY_FLAGS, 'scripts/start-api.ts']);
    expect(containerOf('indexer')?.command).toEqual(['node', ...INDEXER_MEMORY_FLAGS, 'indexer/main.ts']);
    const names = containerOf('caddy')?.env?.map(({ name }) => name) ?? [];
    expect(names.filter((name) => !CADDY_VARIABLES.includes(name))).toEqual([]);
  });

  it('give the API as long to start as `npm start` allows for a migration', () => {
    const probe = deployments.find(({ name }) => name === 'api')?.container.startupProbe;
    const seconds = Number(probe?.periodSeconds) * Number(probe?.failureThreshold);
    expect(seconds * 1_000).toBe(MIGRATION_TIMEOUT_MS);
  });

  it('have services and probes that name ports of their pods', () => {
    for (const { spec } of ofKind<Service>('Service')) {
      const target = deployments.find(({ name }) => name === spec?.selector?.app)?.container;
      const ports = target?.ports?.map(({ name }) => name);
      for (const { targetPort } of spec?.ports ?? []) expect(ports).toContain(targetPort);
      for (const probe of [target?.readinessProbe, target?.livenessProbe])
        expect(ports).toContain(probe?.httpGet?.port ?? probe?.tcpSocket?.port);
    }
  });

  it('deny every connection by default, and let only Caddy reach the API', () => {
    const policies = ofKind<NetworkPolicy>('NetworkPolicy');
    const everyPod = policies.find(({ spec }) => Object.keys(spec?.podSelector ?? {}).length === 0);
    expect(everyPod?.spec?.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(everyPod?.spec?.ingress).toBeUndefined();
    const apiPolicy = policies.find(({ metadata }) => metadata?.name === 'api');
    const callers = apiPolicy?.spec?.ingress?.filter(({ ports }) =>
      ports?.some(({ port }) => port === 'http'),
    );
    expect(callers?.flatMap(({ from }) => from)).toEqual([
      { podSelector: { matchLabels: { app: 'caddy' } } },
    ]);
  });
});
