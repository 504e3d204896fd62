/** @type {import('next').NextConfig} */
const nextConfig = {
  reactStrictMode: true,
  poweredByHeader: false,
  // Nothing here needs the image optimizer or Server Actions, so neither is reachable.
  images: { unoptimized: true },
  // `npm run check` judges the types of the whole project; judging these again would double the time of a build.
  typescript: { ignoreBuildErrors: true },
  // In development the server is opened by its address as often as by its name.
  allowedDevOrigins: ['127.0.0.1'],
  experimental: { optimizePackageImports: ['radix-ui', 'lucide-react'] },
}

export default nextConfig
