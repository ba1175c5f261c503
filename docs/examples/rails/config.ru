# A platform whose customers bring their own domains: docs/guides/stacks/rails.md.
require 'action_controller/railtie'
require 'net/http'

EDGE_SECRET, WEBHOOK_SECRET, EDGE_ADDRESSES = %w[EDGE_SECRET WEBHOOK_SECRET EDGE_ADDRESSES].map do |name|
  ENV[name].presence or abort "Set #{name}."
end
EDGES = EDGE_ADDRESSES.split(',')
# Strict: a key that is empty or cut short could be guessed.
WEBHOOK_KEY = WEBHOOK_SECRET.delete_prefix('whsec_').unpack1('m0').presence or abort 'Set WEBHOOK_SECRET.'
SITES = Concurrent::Map.new # the customer of each name, in place of your database

# During a rotation the edge sends two secrets: "NEW, OLD".
FROM_EDGE = lambda do |request|
  sent = request.headers['Nameplate-Edge-Secret'].to_s.split(', ')
  EDGES.include?(request.get_header('REMOTE_ADDR')) &&
    sent.any? { |secret| ActiveSupport::SecurityUtils.secure_compare(secret, EDGE_SECRET) }
end

class Platform < Rails::Application
  config.secret_key_base = SecureRandom.hex # your application has its own
  config.eager_load = true
  config.hosts.clear # customers' names are not known in advance
  config.action_dispatch.trusted_proxies = EDGES.map { |address| IPAddr.new(address) }
  config.logger = Logger.new($stderr)

  routes.append do
    match '(*path)', to: 'sites#show', via: :all, constraints: FROM_EDGE
    post '/webhooks/nameplate', to: 'webhooks#receive'
    post '/domains', to: 'domains#create'
    match '(*path)', to: ->(_) { [403, { 'content-type' => 'text/plain' }, ['Forbidden']] }, via: :all
  end
end

class SitesController < ActionController::Base
  def show
    customer = SITES[request.host]
    return head :not_found if customer.nil?
    render plain: "The site of #{customer}, at #{request.host}, for #{request.remote_ip}.\n"
  end
end

class WebhooksController < ActionController::API
  def receive
    return head :bad_request unless signed?
    event = JSON.parse(request.raw_post, symbolize_names: true)
    name, customer = event.dig(:data, :domain, :domain), event.dig(:data, :externalId)
    SITES[name] = customer if event[:type] == 'domain.verified'
    SITES.delete(name) if event[:type] == 'domain.deleted' && SITES[name] == customer
    head :no_content
  end

  private

  def signed?
    id, time, signatures = %w[id timestamp signature].map { |name| request.headers["webhook-#{name}"].to_s }
    signature = "v1,#{[OpenSSL::HMAC.digest('SHA256', WEBHOOK_KEY, "#{id}.#{time}.#{request.raw_post}")].pack('m0')}"
    (Time.now.to_i - time.to_i).abs < 300 &&
      signatures.split.any? { |each| ActiveSupport::SecurityUtils.secure_compare(each, signature) }
  end
end

class DomainsController < ActionController::API
  def create
    customer = request.headers['X-Customer'] or return head :unauthorized # your own sign-in takes its place
    domain = params.require(:domain).downcase
    unless SITES[domain] == customer
      refused = call('createDomain', environment: ENV.fetch('ENVIRONMENT_ID'), domain: domain, externalId: customer,
                                     replaceUnverified: true)['error']
      return refuse(refused) if refused
      SITES[domain] = customer
    end
    redirect_to call('createSetupLink', domain: domain)['data']['url'], status: :see_other, allow_other_host: true
  end

  private

  def refuse(error)
    raise error['detail'] unless [400, 409].include?(error['status'])
    render plain: error['detail'], status: error['status']
  end

  # A call without a response is repeated with the same Idempotency-Key, so that it happens once.
  def call(operation, input, attempts = 3, key = SecureRandom.uuid)
    Net::HTTP.post(URI("#{ENV.fetch('NAMEPLATE_URL')}/v2/domains.#{operation}"), input.to_json,
      'Authorization' => "Bearer #{ENV.fetch('NAMEPLATE_ROOT_KEY')}", 'Content-Type' => 'application/json',
      'Idempotency-Key' => key)
      .then { |response| JSON.parse(response.body) }
  rescue SystemCallError, IOError, Timeout::Error
    attempts > 1 ? call(operation, input, attempts - 1, key) : raise
  end
end

run Platform.initialize!
