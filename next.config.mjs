/** @type {import('next').NextConfig} */
const nextConfig = {
  reactStrictMode: true,
  poweredByHeader: false,
  // Sources import with their extension; nothing here needs the image optimizer or Server Actions, so neither is reachable.
  images: { unoptimized: true },
  experimental: { optimizePackageImports: ['radix-ui', 'lucide-react'] },
}

export default nextConfig
