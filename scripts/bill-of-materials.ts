import packageJson from '../package.json' with { type: 'json' };
import type { LockedPackage, LockedPackages } from './release-files.ts';

/** The path at which Node finds a package's dependency; undefined if the dependency is not installed. */
function dependencyPath(packages: LockedPackages, owner: string, name: string): string | undefined {
  for (let folder = owner; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return undefined;
  }
}

/** A package's URL, such as `pkg:npm/%40scope/name@1.0.0` (github.com/package-url/purl-spec). */
function packageUrl(path: string, version = ''): string {
  return `pkg:npm/${path.split('node_modules/').at(-1)?.replace('@', '%40')}@${version}`;
}

const toLicenses = (license: string) =>
  /\s/.test(license) ? [{ expression: license }] : [{ license: { id: license } }];

/** In a lockfile, a hash is `sha512-` followed by base64. CycloneDX uses hexadecimal digits. */
const toHash = (integrity: string) => ({
  alg: 'SHA-512',
  content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'),
});

/**
 * Lists the packages in a CycloneDX document (cyclonedx.org/docs/1.5/json). `npm sbom` cannot be used: it rejects a tree in
 * which an optional peer dependency has an unexpected version, and with `--omit=dev` it leaves out some packages.
 * @param date milliseconds since 1970
 */
export function billOfMaterials(packages: LockedPackages, date: number): string {
  const portalPurl = `pkg:npm/${packageJson.name}@${packageJson.version}`;
  const components = new Map<string, unknown>();
  const dependencies = new Map<string, Set<string>>();
  const addDependencies = (ref: string, owner: string, names: readonly string[]) => {
    const dependencyPaths = names
      .map((name) => dependencyPath(packages, owner, name))
      .filter((path) => path !== undefined);
    const dependencyPurls = dependencies.get(ref) ?? new Set();
    for (const path of dependencyPaths) dependencyPurls.add(packageUrl(path, packages[path]?.version));
    dependencies.set(ref, dependencyPurls);
  };
  const namesIn = ({ dependencies: required, optionalDependencies: optional }: Partial<LockedPackage>) =>
    Object.keys({ ...required, ...optional });
  addDependencies(portalPurl, '', namesIn(packageJson));
  for (const [path, entry] of Object.entries(packages)) {
    const { version = '', license, integrity } = entry;
    const purl = packageUrl(path, version);
    components.set(purl, {
      type: 'library',
      'bom-ref': purl,
      name: path.split('node_modules/').at(-1),
      version,
      purl,
      ...(license !== undefined && { licenses: toLicenses(license) }),
      ...(integrity !== undefined && { hashes: [toHash(integrity)] }),
    });
    addDependencies(purl, path, namesIn(entry));
  }
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      timestamp: new Date(date).toISOString(),
      component: {
        type: 'application',
        'bom-ref': portalPurl,
        name: packageJson.name,
        version: packageJson.version,
        purl: portalPurl,
        licenses: toLicenses(packageJson.license),
      },
    },
    components: [...components.values()],
    dependencies: [...dependencies].map(([ref, all]) => ({ ref, dependsOn: [...all].sort() })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
