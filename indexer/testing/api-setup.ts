import { buildApiIfStale } from '../../scripts/build-api.ts';

/** Bundles the API for all tests that start it, because the bundle starts in half of the processor time. */
export default async function setup(): Promise<void> {
  process.env.TEST_API_PROGRAM ??= await buildApiIfStale();
}
