import { defineCollection } from 'astro:content';
import { glob } from 'astro/loaders';
import { z } from 'astro/zod';

/** The words of the site, checked when it is built: a wrong or unknown field fails the build with its file and name. */

const words = z.string().min(1);
const secureUrl = z.url({ protocol: /^https$/, error: 'must be a full address that begins with https://' });
const link = z.strictObject({ label: words, href: secureUrl });

/** A collection of one YAML file in `content/`, whose entry has the file's name without its ending. */
function yamlFile<Schema extends z.ZodType>(name: string, schema: Schema) {
  return defineCollection({ loader: glob({ base: './content', pattern: `${name}.yaml` }), schema });
}

export const collections = {
  site: yamlFile(
    'site',
    z.strictObject({
      name: words,
      description: words,
      explorer: secureUrl,
      supportEmail: z.email(),
      offices: z.array(words),
      leadership: z.array(words),
    }),
  ),
  links: yamlFile(
    'links',
    z.strictObject({
      'corporate-site': link,
      'staking-portal': link,
      'card-services': link,
      'card-services-login': link,
      community: link,
      whatsapp: link,
    }),
  ),
  tiers: yamlFile(
    'tiers',
    z.strictObject({
      Duckling: z.strictObject({ note: words }),
      Banker: z.strictObject({ note: words }),
      Raven: z.strictObject({ note: words }),
    }),
  ),
  dashboard: defineCollection({
    loader: glob({ base: './content/dashboard', pattern: '*.mdx' }),
    schema: z.strictObject({ title: words }),
  }),
};
