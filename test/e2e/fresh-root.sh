# Runs a program with a root directory whose /etc, /opt, /backups and data nobody has written to yet: fresh-root.sh CLONE DIRECTORY PROGRAM…
# In namespaces of its own for mounts, processes and the network. All else is as it is outside; the clone is /opt/nameplate too.
set -eu
clone=$1 root=$2/root
shift 2
mkdir -p "$root"
mount -t tmpfs fresh "$root"
bind() {
  if [ -L "$1" ]; then cp -P "$1" "$root$1"
  elif [ -d "$1" ]; then mkdir -p "$root$1" && mount --rbind "$1" "$root$1"
  fi
}
for each in /*; do
  case $each in
    /etc) mkdir "$root/etc" && { cp -a /etc/. "$root/etc" 2>/dev/null || true; } ;;
    /opt) ;;
    *) bind "$each" ;;
  esac
done
mkdir -p "$root/opt/nameplate"
for each in /opt/*; do [ "$each" = /opt/nameplate ] || bind "$each"; done
mount --rbind "$clone" "$root/opt/nameplate"
rm -rf "$root/etc/nameplate"
for each in lib cache; do mount -t tmpfs fresh "$root/var/$each"; done
[ -e "$root/etc/resolv.conf" ] || : > "$root/etc/resolv.conf"
ip link set lo up
exec chroot "$root" "$@"
