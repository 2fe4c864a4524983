import { readFileSync } from 'node:fs';
import { z } from 'astro/zod';
import { parse } from 'yaml';
import { FACTS } from '../../data/model/facts/facts.ts';
import type { Facts } from './resolve-facts.ts';

/** What the operator says about the house and running text names too. */
const house = z.object({ supportEmail: z.string(), postalAddress: z.string() });

/**
 * Every fact that the words of `content/` may name: those of the data model, and the house's own address and email.
 * Read once for a build. @throws {Error} where `content/site.yaml` does not hold them.
 */
function readFacts(): Facts {
  const { supportEmail, postalAddress } = house.parse(parse(readFileSync('content/site.yaml', 'utf8')));
  return { ...FACTS, supportEmail, dubaiAddress: postalAddress };
}

export const facts = readFacts();
