import { organization } from '../../../../data/model/organization.ts';
import { sampleMails } from './sample-mails.ts';

/** `GET /dev/mails.json`: every email with sample data. Served only by `npm run dev`; `astro.config.mjs` adds its route. */
export async function GET({ url: { origin } }: { readonly url: URL }): Promise<Response> {
  const answer = await fetch(`${origin}/organization.json`);
  const options = { origin, teamOrigin: origin, organization: organization.parse(await answer.json()) };
  return Response.json(await sampleMails(options));
}
