import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { sites } from '../../nameplate';

export default async function Site() {
  const sent = await headers(); // so that Next.js makes the page for each request
  const { hostname } = new URL(`http://${sent.get('host')}`);
  const customer = sites.get(hostname) ?? notFound();
  return <p>{`The site of ${customer}, at ${hostname}, for ${sent.get('x-real-ip')}.`}</p>;
}
