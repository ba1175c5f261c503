<?php
// Laravel without the files that "laravel new" makes: your application has its own.
use Illuminate\Cache\CacheServiceProvider;
use Illuminate\Config\Repository;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Filesystem\FilesystemServiceProvider;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Bootstrap\BootProviders;
use Illuminate\Foundation\Exceptions\Handler;
use Illuminate\Foundation\Http\Kernel;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Facade;

require 'vendor/autoload.php';
error_reporting(E_ALL & ~E_DEPRECATED); // PHP 8.2 deprecates parts of Laravel 8

final class PlatformKernel extends Kernel
{
    protected $bootstrappers = [BootProviders::class];
    protected $middleware = [TrustEdge::class, ServeSites::class];
}

$app = new Application(__DIR__);
// Without views, Laravel shows an error only with "debug". Your application has views, and "debug" off.
$cache = ['default' => 'file', 'stores' => ['file' => ['driver' => 'file', 'path' => __DIR__ . '/storage']]];
$app->instance('config', new Repository(['app' => ['debug' => true], 'cache' => $cache]));
$app->singleton(ExceptionHandler::class, Handler::class);
$app->register(FilesystemServiceProvider::class);
$app->register(CacheServiceProvider::class);
Facade::setFacadeApplication($app);
require 'platform.php';
$app->make(PlatformKernel::class)->handle(Request::capture())->send();
