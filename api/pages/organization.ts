import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Organization, organization } from '../../data/model/organization.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';

/** @throws {StartError} if `organization.json` is missing or invalid, for example because an earlier version built the site */
export async function readOrganization(folder: string): Promise<Organization> {
  const file = join(folder, 'organization.json');
  try {
    return organization.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    throw new StartError(`${file} cannot be read. Build the site again: npm run build.`, EXIT.tryAgain, {
      cause,
    });
  }
}
